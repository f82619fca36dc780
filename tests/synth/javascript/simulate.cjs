// Decides each request of a list by its policy, as @cloud-copilot/iam-simulate understands IAM.
const { readFileSync } = require('node:fs');
const { runSimulation } = require('@cloud-copilot/iam-simulate');

async function decide({ policy, action, resource, context, account, resourcePolicy }) {
  const result = await runSimulation(
    {
      request: {
        principal: `arn:aws:iam::${account}:role/somebody`,
        action,
        resource: { resource, accountId: account },
        contextVariables: context,
      },
      identityPolicies: [{ name: 'role', policy }],
      serviceControlPolicies: [],
      resourceControlPolicies: [],
      resourcePolicy: resourcePolicy ?? undefined,
    },
    {},
  );
  return result.resultType === 'error' ? JSON.stringify(result.errors) : result.overallResult;
}

async function main() {
  const requests = JSON.parse(readFileSync(0, 'utf8'));
  const decisions = [];
  for (const request of requests) {
    decisions.push(await decide(request));
  }
  console.log(JSON.stringify(decisions));
}

main();
