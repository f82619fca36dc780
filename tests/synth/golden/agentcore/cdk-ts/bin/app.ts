// Made from the design by `sortkey synth`. Change the design and make it anew.
import * as cdk from 'aws-cdk-lib';
import { AgentcoreStack } from '../lib/stack';

const app = new cdk.App();
new AgentcoreStack(app, 'agentcore-prod', {
  description: 'The DynamoDB tables of agentcore in prod, and who may use them',
  env: { account: process.env.CDK_DEFAULT_ACCOUNT, region: process.env.CDK_DEFAULT_REGION },
});
