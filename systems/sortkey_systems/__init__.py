"""Five real applications' data layers, written with sortkey as anybody would write theirs."""
