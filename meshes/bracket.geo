// An L-shaped bracket: a foot of 80 mm with two bolt holes, a wall of 80 mm with a hole for a pin, 6 mm thick, 40 mm
// wide, rounded in the inner corner. Lengths in metres. gmsh -3 -format msh41 bracket.geo -o bracket.msh
SetFactory("OpenCASCADE");
t = 0.006; l = 0.08; w = 0.04; r = 0.008; size = 0.0042;
Box(1) = {0, 0, 0, l, t, w};
Box(2) = {0, 0, 0, t, l, w};
Box(3) = {t, t, 0, r, r, w};
Cylinder(4) = {t + r, t + r, -0.01, 0, 0, w + 0.02, r};
BooleanDifference(5) = { Volume{3}; Delete; }{ Volume{4}; Delete; };
BooleanUnion(6) = { Volume{1}; Delete; }{ Volume{2, 5}; Delete; };
Cylinder(7) = {0.05, -0.01, 0.01, 0, 0.03, 0, 0.0035};
Cylinder(8) = {0.05, -0.01, 0.03, 0, 0.03, 0, 0.0035};
Cylinder(9) = {-0.01, 0.062, 0.02, 0.03, 0, 0, 0.005};
BooleanDifference(10) = { Volume{6}; Delete; }{ Volume{7, 8, 9}; Delete; };
e = 1e-5;
bolt1() = Surface In BoundingBox {0.0465 - e, -e, 0.0065 - e, 0.0535 + e, t + e, 0.0135 + e};
bolt2() = Surface In BoundingBox {0.0465 - e, -e, 0.0265 - e, 0.0535 + e, t + e, 0.0335 + e};
pin() = Surface In BoundingBox {-e, 0.057 - e, 0.015 - e, t + e, 0.067 + e, 0.025 + e};
foot() = Surface In BoundingBox {-e, -e, -e, l + e, e, w + e};
Physical Surface("bolts") = {bolt1(), bolt2()};
Physical Surface("pin") = {pin()};
Physical Surface("foot") = {foot()};
Physical Volume("steel") = Volume{:};
Mesh.CharacteristicLengthMax = size;
Mesh.CharacteristicLengthFromCurvature = 1;
Mesh.MinimumElementsPerTwoPi = 14;
Mesh.Optimize = 1;
