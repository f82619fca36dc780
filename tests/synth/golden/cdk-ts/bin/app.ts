// Made from the design by `sortkey synth`. Change the design and make it anew.
import * as cdk from 'aws-cdk-lib';
import { GymcoachStack } from '../lib/stack';

const app = new cdk.App();
new GymcoachStack(app, 'gymcoach-prod', {
  description: 'The DynamoDB tables of gymcoach in prod, and who may use them',
  env: { account: process.env.CDK_DEFAULT_ACCOUNT, region: process.env.CDK_DEFAULT_REGION },
});
