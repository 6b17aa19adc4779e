from setuptools import setup

# all else is in pyproject.toml
setup(cffi_modules=["build_extension.py:ffi"], options={"bdist_wheel": {"py_limited_api": "cp39"}})
