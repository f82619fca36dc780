"""Code assets: what AWS Lambda needs to run the functions of a design, in one reproducible archive.

An asset is built from three sources, and each is cut as finely as it can be known:

- The **application** is walked: from the modules of the handlers along every import in the source,
  also those within functions, and along what the handlers load when they are really imported. Each
  folder that has a reached module goes in, with its data files. A package that imports by computed
  names goes in whole.
- **sortkey** goes in without its doors (the command line, the server, check, prove, synth and the
  others), which no function opens, and with the extras that the application uses.
- **Distributions of others** go in whole, as their RECORD lists them, and so do those that they
  require on the target.

Binaries are copied from the environment only if their wheel fits the target, and fetched otherwise.
"""
