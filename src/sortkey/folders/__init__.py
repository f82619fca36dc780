"""Folders of this machine in the place of buckets and queues."""
