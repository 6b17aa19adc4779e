# Writes a C file with a text for each of NAMES: the files of the list of that name, one after the other.
#
#   cmake -DOUT=FILE.c "-DNAMES=a;b" "-Da=FILES" "-Db=FILES" -P embed.cmake

set(code "/* Made by cmake/embed.cmake. */\n")
foreach(name ${NAMES})
  set(hex)
  foreach(file ${${name}})
    file(READ ${file} part HEX)
    string(APPEND hex ${part} 0a)
  endforeach()
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
  string(APPEND code "extern const unsigned char ${name}[];\nconst unsigned char ${name}[] = {\n${bytes}0\n};\n")
endforeach()
file(WRITE ${OUT} "${code}")
