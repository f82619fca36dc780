// Made from the design by `sortkey synth`. Change the design and make it anew.
import * as cdk from 'aws-cdk-lib';
import { CommitcollectStack } from '../lib/stack';

const app = new cdk.App();
new CommitcollectStack(app, 'commitcollect-prod', {
  description: 'The DynamoDB tables of commitcollect in prod, and who may use them',
  env: { account: process.env.CDK_DEFAULT_ACCOUNT, region: process.env.CDK_DEFAULT_REGION },
});
