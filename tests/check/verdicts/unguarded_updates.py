"""Updates whose conditions hold on a missing record, so that they create half a record."""

from sortkey import Entity, RawPattern, Table, raw_pattern


class Products(Table, raw=True):
    pass


class Product(Entity, table=Products):
    product_id: str
    stock: int
    label: str
    primary = Products.primary.key("{product_id}", "#META")


def change(name: str, condition: str) -> RawPattern:
    return raw_pattern(
        "Change",
        name=name,
        table=Products,
        operation="UpdateItem",
        entity=Product,
        key={"PK": "{product_id}", "SK": "#META"},
        update="SET stock = :n",
        condition=condition,
        values={":n": "{n}"},
        arguments={"product_id": str, "n": int},
        rate="1/s",
    )


other = change("other", "stock <> :n")
unless = change("unless", "NOT stock = :n")
either = change("either", "stock > :n OR stock <> :n")
