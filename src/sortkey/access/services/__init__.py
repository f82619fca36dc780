"""Queues, buckets and settings, as functions use them in AWS and in `sortkey run`."""
