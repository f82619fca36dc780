"""Load tests of the systems' APIs: throughput, and whether all guarantees hold afterwards."""
