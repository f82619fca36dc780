import json

import pytest
from benchmarks.workloads import PARTITION_ITEMS, PARTITIONS, Workload, item, load_table, workloads
from benchmarks.wrk import read_figures

from sortkey.wire.values import read_item

EVERY = workloads()


@pytest.mark.parametrize("workload", EVERY, ids=[each.action for each in EVERY])
def test_a_raw_request_carries_its_body_and_its_length(workload: Workload) -> None:
    head, _, body = workload.raw_requests()[0].partition(b"\r\n\r\n")
    assert json.loads(body) == workload.bodies[0]
    assert f"Content-Length: {len(body)}".encode() in head


@pytest.mark.parametrize("workload", EVERY, ids=[each.action for each in EVERY])
def test_no_two_requests_of_a_workload_are_the_same(workload: Workload) -> None:
    assert len(set(workload.raw_requests())) == len(workload.bodies) >= PARTITIONS


def test_items_are_of_a_realistic_size() -> None:
    assert 200 <= read_item(item(3, 14))[1] <= 300


def test_numbers_are_canonical_so_that_responses_can_be_compared() -> None:
    assert read_item(item(199, 49, edition=1))[0] == item(199, 49, edition=1)


def test_the_batches_load_every_item_once() -> None:
    puts = [put for body in load_table() for put in body["RequestItems"]["Orders"]]
    keys = {
        (put["PutRequest"]["Item"]["pk"]["S"], put["PutRequest"]["Item"]["sk"]["S"]) for put in puts
    }
    assert len(puts) == len(keys) == PARTITIONS * PARTITION_ITEMS


def test_the_figures_of_wrk_are_read_in_their_order() -> None:
    sample = read_figures("FIGURES 3000 1500000 90000 2 1 900 4000")
    assert (sample.rate, sample.errors) == (2000, 3)
    assert (sample.median_ms, sample.p99_ms) == (0.9, 4.0)
