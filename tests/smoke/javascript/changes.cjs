// Reads a stream, and makes and restores a backup, with the JavaScript SDK v3 against the endpoint
// given, and reports what it saw.
const {
  CreateBackupCommand,
  CreateTableCommand,
  DeleteBackupCommand,
  DeleteItemCommand,
  DeleteTableCommand,
  DescribeBackupCommand,
  DynamoDBClient,
  ListBackupsCommand,
  PutItemCommand,
  RestoreTableFromBackupCommand,
  ScanCommand,
  UpdateItemCommand,
  waitUntilTableExists,
} = require("@aws-sdk/client-dynamodb");
const {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
} = require("@aws-sdk/client-dynamodb-streams");

const TableName = "javascript_changes";
const TargetTableName = "javascript_restored";
const Key = { order: { S: "o-00" } };

async function write(client) {
  const statusIs = (status) => ({ ...Key, status: { S: status } });
  await client.send(new PutItemCommand({ TableName, Item: statusIs("new") }));
  await client.send(
    new UpdateItemCommand({
      TableName,
      Key,
      UpdateExpression: "SET #s = :paid",
      ExpressionAttributeNames: { "#s": "status" },
      ExpressionAttributeValues: { ":paid": { S: "paid" } },
    }),
  );
  await client.send(new DeleteItemCommand({ TableName, Key }));
  await client.send(new PutItemCommand({ TableName, Item: statusIs("again") }));
}

async function changes(streams) {
  const { Streams } = await streams.send(new ListStreamsCommand({ TableName }));
  const StreamArn = Streams[0].StreamArn;
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  const found = [];
  for (const { ShardId } of StreamDescription.Shards) {
    const start = { StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" };
    let { ShardIterator } = await streams.send(new GetShardIteratorCommand(start));
    while (ShardIterator) {
      const page = await streams.send(new GetRecordsCommand({ ShardIterator, Limit: 2 }));
      if (page.Records.length === 0) break;
      found.push(...page.Records);
      ShardIterator = page.NextShardIterator;
    }
  }
  const status = (image) => image?.status.S ?? null;
  return found.map(({ eventName, dynamodb }) => [
    eventName,
    status(dynamodb.OldImage),
    status(dynamodb.NewImage),
  ]);
}

async function backUp(client, report) {
  const made = await client.send(new CreateBackupCommand({ TableName, BackupName: "first" }));
  const { BackupArn } = made.BackupDetails;
  do {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const { BackupDescription } = await client.send(new DescribeBackupCommand({ BackupArn }));
    report.backup = BackupDescription.BackupDetails.BackupStatus;
  } while (report.backup === "CREATING");
  const { BackupSummaries } = await client.send(new ListBackupsCommand({ TableName }));
  report.backups = BackupSummaries.map((summary) => summary.BackupName);

  await client.send(new DeleteItemCommand({ TableName, Key }));
  await client.send(new RestoreTableFromBackupCommand({ BackupArn, TargetTableName }));
  const waiting = { client, maxWaitTime: 60, minDelay: 1, maxDelay: 2 };
  await waitUntilTableExists(waiting, { TableName: TargetTableName });
  const { Items } = await client.send(new ScanCommand({ TableName: TargetTableName }));
  report.restored = Items.map((item) => item.status.S);
  const deleted = await client.send(new DeleteBackupCommand({ BackupArn }));
  report.deleted = deleted.BackupDescription.BackupDetails.BackupStatus;
}

async function play(client, streams) {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: "PAY_PER_REQUEST",
      AttributeDefinitions: [{ AttributeName: "order", AttributeType: "S" }],
      KeySchema: [{ AttributeName: "order", KeyType: "HASH" }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
    }),
  );
  await write(client);
  const report = { changes: await changes(streams) };
  await backUp(client, report);
  for (const name of [TableName, TargetTableName]) {
    await client.send(new DeleteTableCommand({ TableName: name }));
  }
  return report;
}

const settings = { endpoint: process.argv[2], region: "us-east-1" };
const client = new DynamoDBClient(settings);
const streams = new DynamoDBStreamsClient(settings);
play(client, streams)
  .then((report) => process.stdout.write(JSON.stringify(report)))
  .finally(() => {
    client.destroy();
    streams.destroy();
  });
