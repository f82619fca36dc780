// Plays the smoke tests' story with the JavaScript SDK v3 against the endpoint given, and reports
// what it saw: tables and errors through the low-level client, items through the document client.
// CommonJS, because only require() finds packages in the environment that NODE_PATH names.
const {
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ListTagsOfResourceCommand,
  ResourceNotFoundException,
  TagResourceCommand,
  TransactionCanceledException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
  waitUntilTableNotExists,
} = require("@aws-sdk/client-dynamodb");
const {
  BatchGetCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
  paginateQuery,
  paginateScan,
} = require("@aws-sdk/lib-dynamodb");

const TableName = "javascript_orders";
const Key = { customer: "ada", order: "o-00" };

async function refusal(kind, promise) {
  try {
    await promise;
  } catch (error) {
    if (error instanceof kind) return error;
    throw error;
  }
  throw new Error(`expected ${kind.name}`);
}

function key(partition, sort) {
  return [
    { AttributeName: partition, KeyType: "HASH" },
    { AttributeName: sort, KeyType: "RANGE" },
  ];
}

async function play(client, documents) {
  const report = {};
  const waiting = { client, maxWaitTime: 60, minDelay: 1, maxDelay: 2 };

  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: ["customer", "order", "status"].map((name) => ({
        AttributeName: name,
        AttributeType: "S",
      })),
      KeySchema: key("customer", "order"),
      GlobalSecondaryIndexes: [
        {
          IndexName: "by_status",
          KeySchema: key("status", "order"),
          Projection: { ProjectionType: "ALL" },
        },
      ],
    }),
  );
  await waitUntilTableExists(waiting, { TableName });
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  report.indexes = Table.GlobalSecondaryIndexes.map((index) => index.IndexName);

  await documents.send(new PutCommand({ TableName, Item: { ...Key, status: "new", amount: 10 } }));
  report.got = (await documents.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
  const pay = {
    TableName,
    Key,
    UpdateExpression: "SET #s = :paid, amount = amount + :more",
    ConditionExpression: "#s = :new",
    ExpressionAttributeNames: { "#s": "status" },
    ExpressionAttributeValues: { ":paid": "paid", ":new": "new", ":more": 5 },
    ReturnValues: "ALL_NEW",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  };
  report.updated = (await documents.send(new UpdateCommand(pay))).Attributes;
  const refused = await refusal(
    ConditionalCheckFailedException,
    documents.send(new UpdateCommand(pay)),
  );
  report.refusal = refused.name;
  report.refused_item = refused.Item.status;

  const puts = Array.from({ length: 11 }, (_, index) => {
    const order = `o-${String(index + 1).padStart(2, "0")}`;
    return { PutRequest: { Item: { customer: "ada", order, status: "new", amount: index + 1 } } };
  });
  await documents.send(new BatchWriteCommand({ RequestItems: { [TableName]: puts } }));
  const Keys = ["o-01", "o-02", "o-77"].map((order) => ({ customer: "ada", order }));
  const fetched = await documents.send(
    new BatchGetCommand({ RequestItems: { [TableName]: { Keys } } }),
  );
  report.fetched = fetched.Responses[TableName].map((item) => item.order).sort();

  const paging = { client: documents, pageSize: 5 };
  const ordersOf = (customer) => ({
    TableName,
    KeyConditionExpression: "customer = :customer",
    ExpressionAttributeValues: { ":customer": customer },
  });
  const pages = await Array.fromAsync(paginateQuery(paging, ordersOf("ada")));
  report.pages = pages.map((page) => page.Count);
  report.queried = pages.flatMap((page) => page.Items.map((item) => item.order));
  const paid = await documents.send(
    new QueryCommand({
      TableName,
      IndexName: "by_status",
      KeyConditionExpression: "#s = :paid",
      ExpressionAttributeNames: { "#s": "status" },
      ExpressionAttributeValues: { ":paid": "paid" },
    }),
  );
  report.paid = paid.Items.map((item) => item.order);
  const scanned = await Array.fromAsync(paginateScan(paging, { TableName }));
  report.scanned = scanned.reduce((count, page) => count + page.Count, 0);

  const cancelled = await refusal(
    TransactionCanceledException,
    documents.send(
      new TransactWriteCommand({
        TransactItems: [
          { Put: { TableName, Item: { customer: "bob", order: "o-00", status: "new" } } },
          {
            Update: {
              TableName,
              Key,
              UpdateExpression: "SET amount = :none",
              ConditionExpression: "#s = :new",
              ExpressionAttributeNames: { "#s": "status" },
              ExpressionAttributeValues: { ":none": 0, ":new": "new" },
            },
          },
        ],
      }),
    ),
  );
  report.reasons = cancelled.CancellationReasons.map((reason) => reason.Code);
  const bobs = await documents.send(new QueryCommand(ordersOf("bob")));
  report.written_by_the_cancelled = bobs.Count;

  const TimeToLiveSpecification = { AttributeName: "expires", Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  const expiry = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  report.expiry = expiry.TimeToLiveDescription.AttributeName;
  const ResourceArn = Table.TableArn;
  await client.send(new TagResourceCommand({ ResourceArn, Tags: [{ Key: "team", Value: "shop" }] }));
  const { Tags } = await client.send(new ListTagsOfResourceCommand({ ResourceArn }));
  report.tags = Object.fromEntries(Tags.map((tag) => [tag.Key, tag.Value]));

  await client.send(new DeleteTableCommand({ TableName }));
  await waitUntilTableNotExists(waiting, { TableName });
  const gone = await refusal(
    ResourceNotFoundException,
    client.send(new DescribeTableCommand({ TableName })),
  );
  report.after_deletion = gone.name;
  return report;
}

const client = new DynamoDBClient({ endpoint: process.argv[2], region: "us-east-1" });
play(client, DynamoDBDocumentClient.from(client))
  .then((report) => process.stdout.write(JSON.stringify(report)))
  .finally(() => client.destroy());
