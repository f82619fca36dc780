import re

from sortkey.engine import Engine
from sortkey.engine.weather import scenario
from sortkey.server.metrics import metrics_text


def engine() -> Engine:
    made = Engine.memory(weather=scenario("fair"))
    made.answer(
        "CreateTable",
        {
            "TableName": "orders",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [
                {"AttributeName": "id", "AttributeType": "S"},
                {"AttributeName": "customer", "AttributeType": "S"},
            ],
            "GlobalSecondaryIndexes": [
                {
                    "IndexName": "By-Customer",
                    "KeySchema": [{"AttributeName": "customer", "KeyType": "HASH"}],
                    "Projection": {"ProjectionType": "ALL"},
                    "ProvisionedThroughput": {"ReadCapacityUnits": 3, "WriteCapacityUnits": 4},
                }
            ],
            "ProvisionedThroughput": {"ReadCapacityUnits": 1, "WriteCapacityUnits": 2},
        },
    )
    item = {"id": {"S": "1"}, "customer": {"S": "ada"}}
    made.answer("PutItem", {"TableName": "orders", "Item": item})
    return made


def test_counters_have_labels_and_one_type_for_each_name() -> None:
    text = metrics_text(engine().answer("DescribeMeters", {}))

    assert (
        "# TYPE dynamodb_consumed_write_capacity_units_total counter\n"
        'dynamodb_consumed_write_capacity_units_total{table="orders"} 1.0\n'
        'dynamodb_consumed_write_capacity_units_total{table="orders",index="By-Customer"} 1.0\n'
    ) in text
    assert (
        "# TYPE dynamodb_provisioned_read_capacity_units gauge\n"
        'dynamodb_provisioned_read_capacity_units{table="orders"} 1\n'
        'dynamodb_provisioned_read_capacity_units{table="orders",index="By-Customer"} 3\n'
    ) in text
    types = re.findall(r"# TYPE (\S+)", text)
    assert len(types) == len(set(types))


def test_latency_is_a_summary_in_seconds() -> None:
    text = metrics_text(engine().answer("DescribeMeters", {}))

    labels = re.escape('{table="orders",operation="PutItem"}')
    found = re.search(
        rf"dynamodb_successful_request_latency_seconds_sum{labels} (\S+)\n"
        rf"dynamodb_successful_request_latency_seconds_count{labels} 1\n",
        text,
    )
    assert found
    assert 0 < float(found[1]) < 10


def test_every_line_has_the_form_that_prometheus_reads() -> None:
    text = metrics_text(engine().answer("DescribeMeters", {}))

    line = r"[a-z_]+(\{[a-z]+=\"[^\"]*\"(,[a-z]+=\"[^\"]*\")*\})? [0-9.e+-]+"
    assert text.endswith("\n")
    for each in text.splitlines():
        assert each.startswith("# TYPE ") or re.fullmatch(line, each), each


def test_a_name_that_no_table_can_have_is_escaped() -> None:
    meters = {
        "Metrics": [
            {
                "MetricName": "SystemErrors",
                "Dimensions": {"TableName": 'a"\n\\', "Operation": "PutItem"},
                "Total": {"Sum": 1, "SampleCount": 1},
            }
        ]
    }

    assert metrics_text(meters).splitlines()[1:] == [
        r'dynamodb_system_errors_total{table="a\"\n\\",operation="PutItem"} 1'
    ]
