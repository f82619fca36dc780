"""What runs of a design: its functions with everything that calls them and that they use."""

from sortkey.synth.programs.gathering import programs_of as programs_of
