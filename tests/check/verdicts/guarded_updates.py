"""Updates whose conditions fail on a missing record, each in its own way."""

from sortkey import Entity, RawPattern, Table, raw_pattern


class Products(Table, raw=True):
    pass


class Product(Entity, table=Products):
    product_id: str
    stock: int
    label: str
    primary = Products.primary.key("{product_id}", "#META")


def sell(name: str, condition: str) -> RawPattern:
    return raw_pattern(
        "Sell",
        name=name,
        table=Products,
        operation="UpdateItem",
        entity=Product,
        key={"PK": "{product_id}", "SK": "#META"},
        update="SET stock = stock - :n",
        condition=condition,
        values={":n": "{n}"},
        arguments={"product_id": str, "n": int},
        rate="1/s",
    )


enough = sell("enough", "stock >= :n")
within = sell("within", "stock BETWEEN :n AND :n")
labelled = sell("labelled", "attribute_exists(label) AND stock > :n")
sized = sell("sized", "size(label) > :n")
either = sell("either", "stock > :n OR contains(label, :n)")
not_other = sell("not_other", "NOT stock <> :n")
