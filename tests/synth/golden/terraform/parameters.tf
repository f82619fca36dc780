# Made from the design by `sortkey synth`. Change the design and make it anew.
