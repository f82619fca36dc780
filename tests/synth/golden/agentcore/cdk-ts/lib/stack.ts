// Made from the design by `sortkey synth`. Change the design and make it anew.
import * as cdk from 'aws-cdk-lib';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as sns from 'aws-cdk-lib/aws-sns';
import * as ssm from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';

/** The DynamoDB tables of agentcore in prod, and who may use them. */
export class AgentcoreStack extends cdk.Stack {
  constructor(scope: Construct, id: string, props?: cdk.StackProps) {
    super(scope, id, props);

    // Tables.

    // Assistants, each with its owner.
    const assistantsTable = new dynamodb.Table(this, 'AssistantsTable', {
      tableName: 'agentcore-prod-assistants',
      partitionKey: { name: 'PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'SK', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: 35,
      },
      deletionProtection: true,
      tableClass: dynamodb.TableClass.STANDARD,
      encryption: dynamodb.TableEncryption.AWS_MANAGED,
      removalPolicy: cdk.RemovalPolicy.RETAIN,
    });
    assistantsTable.addGlobalSecondaryIndex({
      indexName: 'OwnerStatusIndex',
      partitionKey: { name: 'GSI1PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI1SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });
    assistantsTable.addGlobalSecondaryIndex({
      indexName: 'EmailDomainIndex',
      partitionKey: { name: 'GSI2PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI2SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });
    assistantsTable.addGlobalSecondaryIndex({
      indexName: 'CreatedAtIndex',
      partitionKey: { name: 'GSI3PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI3SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });

    // Warnings, blocks and overrides, by person and by tier.
    const quotaEventsTable = new dynamodb.Table(this, 'QuotaEventsTable', {
      tableName: 'agentcore-prod-quota-events',
      partitionKey: { name: 'PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'SK', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: 35,
      },
      deletionProtection: true,
      tableClass: dynamodb.TableClass.STANDARD,
      encryption: dynamodb.TableEncryption.AWS_MANAGED,
      removalPolicy: cdk.RemovalPolicy.RETAIN,
    });
    quotaEventsTable.addGlobalSecondaryIndex({
      indexName: 'TierEventIndex',
      partitionKey: { name: 'GSI1PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI1SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });

    // How much people may spend.
    const userQuotasTable = new dynamodb.Table(this, 'UserQuotasTable', {
      tableName: 'agentcore-prod-user-quotas',
      partitionKey: { name: 'PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'SK', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: 35,
      },
      deletionProtection: true,
      tableClass: dynamodb.TableClass.STANDARD,
      encryption: dynamodb.TableEncryption.AWS_MANAGED,
      removalPolicy: cdk.RemovalPolicy.RETAIN,
    });
    userQuotasTable.addGlobalSecondaryIndex({
      indexName: 'TierLookupIndex',
      partitionKey: { name: 'GSI1PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI1SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });
    userQuotasTable.addGlobalSecondaryIndex({
      indexName: 'SubjectIndex',
      partitionKey: { name: 'GSI2PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI2SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });
    userQuotasTable.addGlobalSecondaryIndex({
      indexName: 'AssignmentTypeIndex',
      partitionKey: { name: 'GSI3PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI3SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });

    // Who talked about what and when, and what it cost.
    const sessionsMetadataTable = new dynamodb.Table(this, 'SessionsMetadataTable', {
      tableName: 'agentcore-prod-sessions-metadata',
      partitionKey: { name: 'PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'SK', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'ttl',
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: 35,
      },
      deletionProtection: true,
      tableClass: dynamodb.TableClass.STANDARD,
      encryption: dynamodb.TableEncryption.AWS_MANAGED,
      removalPolicy: cdk.RemovalPolicy.RETAIN,
    });
    sessionsMetadataTable.addGlobalSecondaryIndex({
      indexName: 'UserTimestampIndex',
      partitionKey: { name: 'GSI1PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI1SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });
    sessionsMetadataTable.addGlobalSecondaryIndex({
      indexName: 'SessionLookupIndex',
      partitionKey: { name: 'GSI2PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI2SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });

    // What a browser must bring back from the identity provider.
    const oidcStateTable = new dynamodb.Table(this, 'OidcStateTable', {
      tableName: 'agentcore-prod-oidc-state',
      partitionKey: { name: 'PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'SK', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'ttl',
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: false },
      deletionProtection: false,
      tableClass: dynamodb.TableClass.STANDARD,
      encryption: dynamodb.TableEncryption.AWS_MANAGED,
      removalPolicy: cdk.RemovalPolicy.DESTROY,
    });

    // Sums of costs, kept with the costs themselves.
    const userCostSummaryTable = new dynamodb.Table(this, 'UserCostSummaryTable', {
      tableName: 'agentcore-prod-user-cost-summary',
      partitionKey: { name: 'PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'SK', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: 35,
      },
      deletionProtection: true,
      tableClass: dynamodb.TableClass.STANDARD,
      encryption: dynamodb.TableEncryption.AWS_MANAGED,
      removalPolicy: cdk.RemovalPolicy.RETAIN,
    });
    userCostSummaryTable.addGlobalSecondaryIndex({
      indexName: 'TopSpendersIndex',
      partitionKey: { name: 'GSI1PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'totalCostMicros', type: dynamodb.AttributeType.NUMBER },
      projectionType: dynamodb.ProjectionType.ALL,
    });

    // Exported names.
    new ssm.StringParameter(this, 'AssistantsTableNameParam', {
      parameterName: '/agentcore-prod/assistants/assistants-table-name',
      stringValue: assistantsTable.tableName,
      description: 'Assistants DynamoDB table name',
    });
    new ssm.StringParameter(this, 'QuotaEventsTableNameParam', {
      parameterName: '/agentcore-prod/quota/quota-events-table-name',
      stringValue: quotaEventsTable.tableName,
      description: 'Quota events DynamoDB table name',
    });
    new ssm.StringParameter(this, 'UserQuotasTableNameParam', {
      parameterName: '/agentcore-prod/quota/user-quotas-table-name',
      stringValue: userQuotasTable.tableName,
      description: 'User quotas DynamoDB table name',
    });
    new ssm.StringParameter(this, 'SessionsMetadataTableNameParam', {
      parameterName: '/agentcore-prod/cost-tracking/sessions-metadata-table-name',
      stringValue: sessionsMetadataTable.tableName,
      description: 'Sessions metadata DynamoDB table name',
    });
    new ssm.StringParameter(this, 'OidcStateTableNameParam', {
      parameterName: '/agentcore-prod/auth/oidc-state-table-name',
      stringValue: oidcStateTable.tableName,
      description: 'OIDC state DynamoDB table name',
    });
    new ssm.StringParameter(this, 'UserCostSummaryTableNameParam', {
      parameterName: '/agentcore-prod/cost-tracking/user-cost-summary-table-name',
      stringValue: userCostSummaryTable.tableName,
      description: 'User cost summary DynamoDB table name',
    });

    // Policies.

    const quotaReaderPolicy = new iam.ManagedPolicy(this, 'QuotaReaderPolicy', {
      managedPolicyName: 'agentcore-prod-quota-reader',
      description: 'What the patterns of the role quota-reader send',
      statements: [
        // For live_overrides, assignments_of_user, assignments_of_app_role,
        // assignments_of_role, assignments_of_domain, default_assignments,
        // all_tiers, assignments_of_tier, assignments_of_type, overrides_of_user.
        new iam.PolicyStatement({
          sid: 'UserQuotas',
          actions: ['dynamodb:Query'],
          resources: [
            `${userQuotasTable.tableArn}/index/AssignmentTypeIndex`,
            `${userQuotasTable.tableArn}/index/SubjectIndex`,
            `${userQuotasTable.tableArn}/index/TierLookupIndex`,
          ],
        }),
        // For quota_config, tier_by_id, assignment_by_id, override_by_id.
        new iam.PolicyStatement({
          sid: 'UserQuotas2',
          actions: ['dynamodb:GetItem'],
          resources: [userQuotasTable.tableArn],
        }),
        // For summary_of.
        new iam.PolicyStatement({
          sid: 'UserCostSummary',
          actions: ['dynamodb:GetItem'],
          resources: [userCostSummaryTable.tableArn],
        }),
        // For events_of_user, events_of_tier.
        new iam.PolicyStatement({
          sid: 'QuotaEvents',
          actions: ['dynamodb:Query'],
          resources: [
            quotaEventsTable.tableArn,
            `${quotaEventsTable.tableArn}/index/TierEventIndex`,
          ],
        }),
      ],
    });

    const quotaAdminPolicy = new iam.ManagedPolicy(this, 'QuotaAdminPolicy', {
      managedPolicyName: 'agentcore-prod-quota-admin',
      description: 'What the patterns of the role quota-admin send',
      statements: [
        // For live_overrides, assignments_of_user, assignments_of_app_role,
        // assignments_of_role, assignments_of_domain, default_assignments,
        // all_tiers, assignments_of_tier, assignments_of_type, overrides_of_user.
        new iam.PolicyStatement({
          sid: 'UserQuotas',
          actions: ['dynamodb:Query'],
          resources: [
            `${userQuotasTable.tableArn}/index/AssignmentTypeIndex`,
            `${userQuotasTable.tableArn}/index/SubjectIndex`,
            `${userQuotasTable.tableArn}/index/TierLookupIndex`,
          ],
        }),
        // For quota_config, tier_by_id, assignment_by_id, override_by_id,
        // add_tier, change_terms, remove_tier, remove_tier_without_config,
        // write_default_tier, write_no_default_tier, add_assignment,
        // move_assignment, change_assignment, remove_assignment, add_override,
        // change_override.
        new iam.PolicyStatement({
          sid: 'UserQuotas2',
          actions: [
            'dynamodb:ConditionCheckItem',
            'dynamodb:DeleteItem',
            'dynamodb:GetItem',
            'dynamodb:PutItem',
            'dynamodb:UpdateItem',
          ],
          resources: [userQuotasTable.tableArn],
        }),
        // For summary_of.
        new iam.PolicyStatement({
          sid: 'UserCostSummary',
          actions: ['dynamodb:GetItem'],
          resources: [userCostSummaryTable.tableArn],
        }),
        // For events_of_user, add_override.
        new iam.PolicyStatement({
          sid: 'QuotaEvents',
          actions: ['dynamodb:PutItem', 'dynamodb:Query'],
          resources: [quotaEventsTable.tableArn],
        }),
        // For events_of_tier.
        new iam.PolicyStatement({
          sid: 'QuotaEvents2',
          actions: ['dynamodb:Query'],
          resources: [`${quotaEventsTable.tableArn}/index/TierEventIndex`],
        }),
      ],
    });

    const quotaCheckPolicy = new iam.ManagedPolicy(this, 'QuotaCheckPolicy', {
      managedPolicyName: 'agentcore-prod-quota-check',
      description: 'What the patterns of the role quota-check send',
      statements: [
        // For live_overrides, assignments_of_user, assignments_of_app_role,
        // assignments_of_role, assignments_of_domain, default_assignments.
        new iam.PolicyStatement({
          sid: 'UserQuotas',
          actions: ['dynamodb:Query'],
          resources: [`${userQuotasTable.tableArn}/index/SubjectIndex`],
        }),
        // For quota_config, tier_by_id.
        new iam.PolicyStatement({
          sid: 'UserQuotas2',
          actions: ['dynamodb:GetItem'],
          resources: [userQuotasTable.tableArn],
        }),
        // For summary_of.
        new iam.PolicyStatement({
          sid: 'UserCostSummary',
          actions: ['dynamodb:GetItem'],
          resources: [userCostSummaryTable.tableArn],
        }),
        // For add_event, warn_once.
        new iam.PolicyStatement({
          sid: 'QuotaEvents',
          actions: ['dynamodb:PutItem'],
          resources: [quotaEventsTable.tableArn],
        }),
      ],
    });

    const costReaderPolicy = new iam.ManagedPolicy(this, 'CostReaderPolicy', {
      managedPolicyName: 'agentcore-prod-cost-reader',
      description: 'What the patterns of the role cost-reader send',
      statements: [
        // For active_sessions, deleted_sessions, session_by_id, costs_of_user,
        // costs_of_session.
        new iam.PolicyStatement({
          sid: 'SessionsMetadata',
          actions: ['dynamodb:Query'],
          resources: [
            sessionsMetadataTable.tableArn,
            `${sessionsMetadataTable.tableArn}/index/SessionLookupIndex`,
          ],
        }),
        // For summary_of.
        new iam.PolicyStatement({
          sid: 'UserCostSummary',
          actions: ['dynamodb:GetItem'],
          resources: [userCostSummaryTable.tableArn],
        }),
        // For top_spenders.
        new iam.PolicyStatement({
          sid: 'UserCostSummary2',
          actions: ['dynamodb:Query'],
          resources: [`${userCostSummaryTable.tableArn}/index/TopSpendersIndex`],
        }),
      ],
    });

    const chatPolicy = new iam.ManagedPolicy(this, 'ChatPolicy', {
      managedPolicyName: 'agentcore-prod-chat',
      description: 'What the patterns of the role chat send',
      statements: [
        // For active_sessions, deleted_sessions, costs_of_user, add_session,
        // move_session, count_message, change_session, move_to_deleted, add_cost.
        new iam.PolicyStatement({
          sid: 'SessionsMetadata',
          actions: [
            'dynamodb:DeleteItem',
            'dynamodb:PutItem',
            'dynamodb:Query',
            'dynamodb:UpdateItem',
          ],
          resources: [sessionsMetadataTable.tableArn],
        }),
        // For session_by_id, costs_of_session.
        new iam.PolicyStatement({
          sid: 'SessionsMetadata2',
          actions: ['dynamodb:Query'],
          resources: [`${sessionsMetadataTable.tableArn}/index/SessionLookupIndex`],
        }),
        // For summary_of, add_cost.
        new iam.PolicyStatement({
          sid: 'UserCostSummary',
          actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
          resources: [userCostSummaryTable.tableArn],
        }),
        // For top_spenders.
        new iam.PolicyStatement({
          sid: 'UserCostSummary2',
          actions: ['dynamodb:Query'],
          resources: [`${userCostSummaryTable.tableArn}/index/TopSpendersIndex`],
        }),
      ],
    });

    const signInPolicy = new iam.ManagedPolicy(this, 'SignInPolicy', {
      managedPolicyName: 'agentcore-prod-sign-in',
      description: 'What the patterns of the role sign-in send',
      statements: [
        // For add_state, consume_state.
        new iam.PolicyStatement({
          sid: 'OidcState',
          actions: ['dynamodb:DeleteItem', 'dynamodb:PutItem'],
          resources: [oidcStateTable.tableArn],
        }),
      ],
    });

    const assistantReaderPolicy = new iam.ManagedPolicy(this, 'AssistantReaderPolicy', {
      managedPolicyName: 'agentcore-prod-assistant-reader',
      description: 'What the patterns of the role assistant-reader send',
      statements: [
        // For assistant_by_id.
        new iam.PolicyStatement({
          sid: 'Assistants',
          actions: ['dynamodb:GetItem'],
          resources: [assistantsTable.tableArn],
        }),
        // For assistants_of_owner, assistants_of_domain, assistants_of_month.
        new iam.PolicyStatement({
          sid: 'Assistants2',
          actions: ['dynamodb:Query'],
          resources: [
            `${assistantsTable.tableArn}/index/CreatedAtIndex`,
            `${assistantsTable.tableArn}/index/EmailDomainIndex`,
            `${assistantsTable.tableArn}/index/OwnerStatusIndex`,
          ],
        }),
      ],
    });

    const assistantBuilderPolicy = new iam.ManagedPolicy(this, 'AssistantBuilderPolicy', {
      managedPolicyName: 'agentcore-prod-assistant-builder',
      description: 'What the patterns of the role assistant-builder send',
      statements: [
        // For assistant_by_id, add_assistant, write_status, write_name,
        // remove_assistant.
        new iam.PolicyStatement({
          sid: 'Assistants',
          actions: [
            'dynamodb:DeleteItem',
            'dynamodb:GetItem',
            'dynamodb:PutItem',
            'dynamodb:UpdateItem',
          ],
          resources: [assistantsTable.tableArn],
        }),
        // For assistants_of_owner, assistants_of_domain, assistants_of_month.
        new iam.PolicyStatement({
          sid: 'Assistants2',
          actions: ['dynamodb:Query'],
          resources: [
            `${assistantsTable.tableArn}/index/CreatedAtIndex`,
            `${assistantsTable.tableArn}/index/EmailDomainIndex`,
            `${assistantsTable.tableArn}/index/OwnerStatusIndex`,
          ],
        }),
      ],
    });

    // Alarms.

    const alarmTopic = new sns.Topic(this, 'AlarmTopic', { topicName: 'agentcore-prod-alarms' });
    alarm(
      this,
      'AssistantsTableReadThrottledAlarm',
      'agentcore-prod-assistants-read-throttled',
      'agentcore-prod-assistants: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, { TableName: assistantsTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'AssistantsTableWriteThrottledAlarm',
      'agentcore-prod-assistants-write-throttled',
      'agentcore-prod-assistants: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, { TableName: assistantsTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'AssistantsTableOwnerStatusIndexReadThrottledAlarm',
      'agentcore-prod-assistants-OwnerStatusIndex-read-throttled',
      'agentcore-prod-assistants, OwnerStatusIndex: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: assistantsTable.tableName,
        GlobalSecondaryIndexName: 'OwnerStatusIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'AssistantsTableOwnerStatusIndexWriteThrottledAlarm',
      'agentcore-prod-assistants-OwnerStatusIndex-write-throttled',
      'agentcore-prod-assistants, OwnerStatusIndex: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: assistantsTable.tableName,
        GlobalSecondaryIndexName: 'OwnerStatusIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'AssistantsTableEmailDomainIndexReadThrottledAlarm',
      'agentcore-prod-assistants-EmailDomainIndex-read-throttled',
      'agentcore-prod-assistants, EmailDomainIndex: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: assistantsTable.tableName,
        GlobalSecondaryIndexName: 'EmailDomainIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'AssistantsTableEmailDomainIndexWriteThrottledAlarm',
      'agentcore-prod-assistants-EmailDomainIndex-write-throttled',
      'agentcore-prod-assistants, EmailDomainIndex: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: assistantsTable.tableName,
        GlobalSecondaryIndexName: 'EmailDomainIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'AssistantsTableCreatedAtIndexReadThrottledAlarm',
      'agentcore-prod-assistants-CreatedAtIndex-read-throttled',
      'agentcore-prod-assistants, CreatedAtIndex: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: assistantsTable.tableName,
        GlobalSecondaryIndexName: 'CreatedAtIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'AssistantsTableCreatedAtIndexWriteThrottledAlarm',
      'agentcore-prod-assistants-CreatedAtIndex-write-throttled',
      'agentcore-prod-assistants, CreatedAtIndex: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: assistantsTable.tableName,
        GlobalSecondaryIndexName: 'CreatedAtIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'AssistantsTableDeleteItemSystemErrorsAlarm',
      'agentcore-prod-assistants-delete-item-system-errors',
      'agentcore-prod-assistants: DeleteItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: assistantsTable.tableName,
        Operation: 'DeleteItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'AssistantsTableGetItemSystemErrorsAlarm',
      'agentcore-prod-assistants-get-item-system-errors',
      'agentcore-prod-assistants: GetItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: assistantsTable.tableName,
        Operation: 'GetItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'AssistantsTablePutItemSystemErrorsAlarm',
      'agentcore-prod-assistants-put-item-system-errors',
      'agentcore-prod-assistants: PutItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: assistantsTable.tableName,
        Operation: 'PutItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'AssistantsTableQuerySystemErrorsAlarm',
      'agentcore-prod-assistants-query-system-errors',
      'agentcore-prod-assistants: Query failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: assistantsTable.tableName,
        Operation: 'Query',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'AssistantsTableUpdateItemSystemErrorsAlarm',
      'agentcore-prod-assistants-update-item-system-errors',
      'agentcore-prod-assistants: UpdateItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: assistantsTable.tableName,
        Operation: 'UpdateItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'AssistantsTableConditionalFailuresAlarm',
      'agentcore-prod-assistants-conditional-failures',
      'agentcore-prod-assistants: Many conditions of writes did not hold',
      metric('ConditionalCheckFailedRequests', 'Sum', 300, {
        TableName: assistantsTable.tableName,
      }),
      1000,
      alarmTopic,
    );
    alarm(
      this,
      'QuotaEventsTableReadThrottledAlarm',
      'agentcore-prod-quota-events-read-throttled',
      'agentcore-prod-quota-events: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, { TableName: quotaEventsTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'QuotaEventsTableWriteThrottledAlarm',
      'agentcore-prod-quota-events-write-throttled',
      'agentcore-prod-quota-events: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, { TableName: quotaEventsTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'QuotaEventsTableTierEventIndexReadThrottledAlarm',
      'agentcore-prod-quota-events-TierEventIndex-read-throttled',
      'agentcore-prod-quota-events, TierEventIndex: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: quotaEventsTable.tableName,
        GlobalSecondaryIndexName: 'TierEventIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'QuotaEventsTableTierEventIndexWriteThrottledAlarm',
      'agentcore-prod-quota-events-TierEventIndex-write-throttled',
      'agentcore-prod-quota-events, TierEventIndex: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: quotaEventsTable.tableName,
        GlobalSecondaryIndexName: 'TierEventIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'QuotaEventsTablePutItemSystemErrorsAlarm',
      'agentcore-prod-quota-events-put-item-system-errors',
      'agentcore-prod-quota-events: PutItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: quotaEventsTable.tableName,
        Operation: 'PutItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'QuotaEventsTableQuerySystemErrorsAlarm',
      'agentcore-prod-quota-events-query-system-errors',
      'agentcore-prod-quota-events: Query failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: quotaEventsTable.tableName,
        Operation: 'Query',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'QuotaEventsTableTransactWriteItemsSystemErrorsAlarm',
      'agentcore-prod-quota-events-transact-write-items-system-errors',
      'agentcore-prod-quota-events: TransactWriteItems failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: quotaEventsTable.tableName,
        Operation: 'TransactWriteItems',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'QuotaEventsTableConditionalFailuresAlarm',
      'agentcore-prod-quota-events-conditional-failures',
      'agentcore-prod-quota-events: Many conditions of writes did not hold',
      metric('ConditionalCheckFailedRequests', 'Sum', 300, {
        TableName: quotaEventsTable.tableName,
      }),
      1000,
      alarmTopic,
    );
    alarm(
      this,
      'QuotaEventsTableTransactionConflictsAlarm',
      'agentcore-prod-quota-events-transaction-conflicts',
      'agentcore-prod-quota-events: Many requests met a transaction on the same record',
      metric('TransactionConflict', 'Sum', 300, { TableName: quotaEventsTable.tableName }),
      100,
      alarmTopic,
    );
    alarm(
      this,
      'UserQuotasTableReadThrottledAlarm',
      'agentcore-prod-user-quotas-read-throttled',
      'agentcore-prod-user-quotas: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, { TableName: userQuotasTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserQuotasTableWriteThrottledAlarm',
      'agentcore-prod-user-quotas-write-throttled',
      'agentcore-prod-user-quotas: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, { TableName: userQuotasTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserQuotasTableTierLookupIndexReadThrottledAlarm',
      'agentcore-prod-user-quotas-TierLookupIndex-read-throttled',
      'agentcore-prod-user-quotas, TierLookupIndex: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: userQuotasTable.tableName,
        GlobalSecondaryIndexName: 'TierLookupIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserQuotasTableTierLookupIndexWriteThrottledAlarm',
      'agentcore-prod-user-quotas-TierLookupIndex-write-throttled',
      'agentcore-prod-user-quotas, TierLookupIndex: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: userQuotasTable.tableName,
        GlobalSecondaryIndexName: 'TierLookupIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserQuotasTableSubjectIndexReadThrottledAlarm',
      'agentcore-prod-user-quotas-SubjectIndex-read-throttled',
      'agentcore-prod-user-quotas, SubjectIndex: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: userQuotasTable.tableName,
        GlobalSecondaryIndexName: 'SubjectIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserQuotasTableSubjectIndexWriteThrottledAlarm',
      'agentcore-prod-user-quotas-SubjectIndex-write-throttled',
      'agentcore-prod-user-quotas, SubjectIndex: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: userQuotasTable.tableName,
        GlobalSecondaryIndexName: 'SubjectIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserQuotasTableAssignmentTypeIndexReadThrottledAlarm',
      'agentcore-prod-user-quotas-AssignmentTypeIndex-read-throttled',
      'agentcore-prod-user-quotas, AssignmentTypeIndex: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: userQuotasTable.tableName,
        GlobalSecondaryIndexName: 'AssignmentTypeIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserQuotasTableAssignmentTypeIndexWriteThrottledAlarm',
      'agentcore-prod-user-quotas-AssignmentTypeIndex-write-throttled',
      'agentcore-prod-user-quotas, AssignmentTypeIndex: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: userQuotasTable.tableName,
        GlobalSecondaryIndexName: 'AssignmentTypeIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserQuotasTableGetItemSystemErrorsAlarm',
      'agentcore-prod-user-quotas-get-item-system-errors',
      'agentcore-prod-user-quotas: GetItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: userQuotasTable.tableName,
        Operation: 'GetItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserQuotasTablePutItemSystemErrorsAlarm',
      'agentcore-prod-user-quotas-put-item-system-errors',
      'agentcore-prod-user-quotas: PutItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: userQuotasTable.tableName,
        Operation: 'PutItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserQuotasTableQuerySystemErrorsAlarm',
      'agentcore-prod-user-quotas-query-system-errors',
      'agentcore-prod-user-quotas: Query failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: userQuotasTable.tableName,
        Operation: 'Query',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserQuotasTableTransactWriteItemsSystemErrorsAlarm',
      'agentcore-prod-user-quotas-transact-write-items-system-errors',
      'agentcore-prod-user-quotas: TransactWriteItems failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: userQuotasTable.tableName,
        Operation: 'TransactWriteItems',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserQuotasTableUpdateItemSystemErrorsAlarm',
      'agentcore-prod-user-quotas-update-item-system-errors',
      'agentcore-prod-user-quotas: UpdateItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: userQuotasTable.tableName,
        Operation: 'UpdateItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserQuotasTableConditionalFailuresAlarm',
      'agentcore-prod-user-quotas-conditional-failures',
      'agentcore-prod-user-quotas: Many conditions of writes did not hold',
      metric('ConditionalCheckFailedRequests', 'Sum', 300, {
        TableName: userQuotasTable.tableName,
      }),
      1000,
      alarmTopic,
    );
    alarm(
      this,
      'UserQuotasTableTransactionConflictsAlarm',
      'agentcore-prod-user-quotas-transaction-conflicts',
      'agentcore-prod-user-quotas: Many requests met a transaction on the same record',
      metric('TransactionConflict', 'Sum', 300, { TableName: userQuotasTable.tableName }),
      100,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsMetadataTableReadThrottledAlarm',
      'agentcore-prod-sessions-metadata-read-throttled',
      'agentcore-prod-sessions-metadata: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, { TableName: sessionsMetadataTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsMetadataTableWriteThrottledAlarm',
      'agentcore-prod-sessions-metadata-write-throttled',
      'agentcore-prod-sessions-metadata: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, { TableName: sessionsMetadataTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsMetadataTableUserTimestampIndexReadThrottledAlarm',
      'agentcore-prod-sessions-metadata-UserTimestampIndex-read-throttled',
      'agentcore-prod-sessions-metadata, UserTimestampIndex: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: sessionsMetadataTable.tableName,
        GlobalSecondaryIndexName: 'UserTimestampIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsMetadataTableUserTimestampIndexWriteThrottledAlarm',
      'agentcore-prod-sessions-metadata-UserTimestampIndex-write-throttled',
      'agentcore-prod-sessions-metadata, UserTimestampIndex: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: sessionsMetadataTable.tableName,
        GlobalSecondaryIndexName: 'UserTimestampIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsMetadataTableSessionLookupIndexReadThrottledAlarm',
      'agentcore-prod-sessions-metadata-SessionLookupIndex-read-throttled',
      'agentcore-prod-sessions-metadata, SessionLookupIndex: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: sessionsMetadataTable.tableName,
        GlobalSecondaryIndexName: 'SessionLookupIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsMetadataTableSessionLookupIndexWriteThrottledAlarm',
      'agentcore-prod-sessions-metadata-SessionLookupIndex-write-throttled',
      'agentcore-prod-sessions-metadata, SessionLookupIndex: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: sessionsMetadataTable.tableName,
        GlobalSecondaryIndexName: 'SessionLookupIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsMetadataTablePutItemSystemErrorsAlarm',
      'agentcore-prod-sessions-metadata-put-item-system-errors',
      'agentcore-prod-sessions-metadata: PutItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: sessionsMetadataTable.tableName,
        Operation: 'PutItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsMetadataTableQuerySystemErrorsAlarm',
      'agentcore-prod-sessions-metadata-query-system-errors',
      'agentcore-prod-sessions-metadata: Query failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: sessionsMetadataTable.tableName,
        Operation: 'Query',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsMetadataTableTransactWriteItemsSystemErrorsAlarm',
      'agentcore-prod-sessions-metadata-transact-write-items-system-errors',
      'agentcore-prod-sessions-metadata: TransactWriteItems failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: sessionsMetadataTable.tableName,
        Operation: 'TransactWriteItems',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsMetadataTableUpdateItemSystemErrorsAlarm',
      'agentcore-prod-sessions-metadata-update-item-system-errors',
      'agentcore-prod-sessions-metadata: UpdateItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: sessionsMetadataTable.tableName,
        Operation: 'UpdateItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsMetadataTableConditionalFailuresAlarm',
      'agentcore-prod-sessions-metadata-conditional-failures',
      'agentcore-prod-sessions-metadata: Many conditions of writes did not hold',
      metric('ConditionalCheckFailedRequests', 'Sum', 300, {
        TableName: sessionsMetadataTable.tableName,
      }),
      1000,
      alarmTopic,
    );
    alarm(
      this,
      'SessionsMetadataTableTransactionConflictsAlarm',
      'agentcore-prod-sessions-metadata-transaction-conflicts',
      'agentcore-prod-sessions-metadata: Many requests met a transaction on the same record',
      metric('TransactionConflict', 'Sum', 300, { TableName: sessionsMetadataTable.tableName }),
      100,
      alarmTopic,
    );
    alarm(
      this,
      'OidcStateTableReadThrottledAlarm',
      'agentcore-prod-oidc-state-read-throttled',
      'agentcore-prod-oidc-state: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, { TableName: oidcStateTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'OidcStateTableWriteThrottledAlarm',
      'agentcore-prod-oidc-state-write-throttled',
      'agentcore-prod-oidc-state: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, { TableName: oidcStateTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'OidcStateTableDeleteItemSystemErrorsAlarm',
      'agentcore-prod-oidc-state-delete-item-system-errors',
      'agentcore-prod-oidc-state: DeleteItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: oidcStateTable.tableName,
        Operation: 'DeleteItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'OidcStateTablePutItemSystemErrorsAlarm',
      'agentcore-prod-oidc-state-put-item-system-errors',
      'agentcore-prod-oidc-state: PutItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: oidcStateTable.tableName,
        Operation: 'PutItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'OidcStateTableConditionalFailuresAlarm',
      'agentcore-prod-oidc-state-conditional-failures',
      'agentcore-prod-oidc-state: Many conditions of writes did not hold',
      metric('ConditionalCheckFailedRequests', 'Sum', 300, { TableName: oidcStateTable.tableName }),
      1000,
      alarmTopic,
    );
    alarm(
      this,
      'UserCostSummaryTableReadThrottledAlarm',
      'agentcore-prod-user-cost-summary-read-throttled',
      'agentcore-prod-user-cost-summary: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, { TableName: userCostSummaryTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserCostSummaryTableWriteThrottledAlarm',
      'agentcore-prod-user-cost-summary-write-throttled',
      'agentcore-prod-user-cost-summary: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, { TableName: userCostSummaryTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserCostSummaryTableTopSpendersIndexReadThrottledAlarm',
      'agentcore-prod-user-cost-summary-TopSpendersIndex-read-throttled',
      'agentcore-prod-user-cost-summary, TopSpendersIndex: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: userCostSummaryTable.tableName,
        GlobalSecondaryIndexName: 'TopSpendersIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserCostSummaryTableTopSpendersIndexWriteThrottledAlarm',
      'agentcore-prod-user-cost-summary-TopSpendersIndex-write-throttled',
      'agentcore-prod-user-cost-summary, TopSpendersIndex: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: userCostSummaryTable.tableName,
        GlobalSecondaryIndexName: 'TopSpendersIndex',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserCostSummaryTableGetItemSystemErrorsAlarm',
      'agentcore-prod-user-cost-summary-get-item-system-errors',
      'agentcore-prod-user-cost-summary: GetItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: userCostSummaryTable.tableName,
        Operation: 'GetItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserCostSummaryTableQuerySystemErrorsAlarm',
      'agentcore-prod-user-cost-summary-query-system-errors',
      'agentcore-prod-user-cost-summary: Query failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: userCostSummaryTable.tableName,
        Operation: 'Query',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserCostSummaryTableTransactWriteItemsSystemErrorsAlarm',
      'agentcore-prod-user-cost-summary-transact-write-items-system-errors',
      'agentcore-prod-user-cost-summary: TransactWriteItems failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: userCostSummaryTable.tableName,
        Operation: 'TransactWriteItems',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'UserCostSummaryTableConditionalFailuresAlarm',
      'agentcore-prod-user-cost-summary-conditional-failures',
      'agentcore-prod-user-cost-summary: Many conditions of writes did not hold',
      metric('ConditionalCheckFailedRequests', 'Sum', 300, {
        TableName: userCostSummaryTable.tableName,
      }),
      1000,
      alarmTopic,
    );
    alarm(
      this,
      'UserCostSummaryTableTransactionConflictsAlarm',
      'agentcore-prod-user-cost-summary-transaction-conflicts',
      'agentcore-prod-user-cost-summary: Many requests met a transaction on the same record',
      metric('TransactionConflict', 'Sum', 300, { TableName: userCostSummaryTable.tableName }),
      100,
      alarmTopic,
    );
    alarm(
      this,
      'UserErrorsAlarm',
      'agentcore-prod-user-errors',
      'Requests that DynamoDB refused as wrong, of everybody in this account and region',
      metric('UserErrors', 'Sum', 300, {}),
      100,
      alarmTopic,
    );

    // Dashboard.
    new cloudwatch.Dashboard(this, 'Dashboard', {
      dashboardName: 'agentcore-prod',
      widgets: [
        [
          new cloudwatch.TextWidget({
            markdown: '## agentcore-prod-assistants',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 4, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: assistantsTable.tableName,
            }),
          ]),
          graph('Writes', 4, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: assistantsTable.tableName,
            }),
          ]),
          graph('Throttled', 4, [
            metric('ReadThrottleEvents', 'Sum', 300, { TableName: assistantsTable.tableName }),
            metric('WriteThrottleEvents', 'Sum', 300, { TableName: assistantsTable.tableName }),
          ]),
          graph('Latency (ms)', 4, [
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: assistantsTable.tableName,
              Operation: 'DeleteItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: assistantsTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: assistantsTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: assistantsTable.tableName,
              Operation: 'Query',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: assistantsTable.tableName,
              Operation: 'UpdateItem',
            }),
          ]),
          graph('Failures', 4, [
            metric('SystemErrors', 'Sum', 300, {
              TableName: assistantsTable.tableName,
              Operation: 'DeleteItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: assistantsTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: assistantsTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: assistantsTable.tableName,
              Operation: 'Query',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: assistantsTable.tableName,
              Operation: 'UpdateItem',
            }),
            metric('ConditionalCheckFailedRequests', 'Sum', 300, {
              TableName: assistantsTable.tableName,
            }),
            metric('TransactionConflict', 'Sum', 300, { TableName: assistantsTable.tableName }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## agentcore-prod-assistants, OwnerStatusIndex',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: assistantsTable.tableName,
              GlobalSecondaryIndexName: 'OwnerStatusIndex',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: assistantsTable.tableName,
              GlobalSecondaryIndexName: 'OwnerStatusIndex',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: assistantsTable.tableName,
              GlobalSecondaryIndexName: 'OwnerStatusIndex',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: assistantsTable.tableName,
              GlobalSecondaryIndexName: 'OwnerStatusIndex',
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## agentcore-prod-assistants, EmailDomainIndex',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: assistantsTable.tableName,
              GlobalSecondaryIndexName: 'EmailDomainIndex',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: assistantsTable.tableName,
              GlobalSecondaryIndexName: 'EmailDomainIndex',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: assistantsTable.tableName,
              GlobalSecondaryIndexName: 'EmailDomainIndex',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: assistantsTable.tableName,
              GlobalSecondaryIndexName: 'EmailDomainIndex',
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## agentcore-prod-assistants, CreatedAtIndex',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: assistantsTable.tableName,
              GlobalSecondaryIndexName: 'CreatedAtIndex',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: assistantsTable.tableName,
              GlobalSecondaryIndexName: 'CreatedAtIndex',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: assistantsTable.tableName,
              GlobalSecondaryIndexName: 'CreatedAtIndex',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: assistantsTable.tableName,
              GlobalSecondaryIndexName: 'CreatedAtIndex',
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## agentcore-prod-quota-events',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 4, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: quotaEventsTable.tableName,
            }),
          ]),
          graph('Writes', 4, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: quotaEventsTable.tableName,
            }),
          ]),
          graph('Throttled', 4, [
            metric('ReadThrottleEvents', 'Sum', 300, { TableName: quotaEventsTable.tableName }),
            metric('WriteThrottleEvents', 'Sum', 300, { TableName: quotaEventsTable.tableName }),
          ]),
          graph('Latency (ms)', 4, [
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: quotaEventsTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: quotaEventsTable.tableName,
              Operation: 'Query',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: quotaEventsTable.tableName,
              Operation: 'TransactWriteItems',
            }),
          ]),
          graph('Failures', 4, [
            metric('SystemErrors', 'Sum', 300, {
              TableName: quotaEventsTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: quotaEventsTable.tableName,
              Operation: 'Query',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: quotaEventsTable.tableName,
              Operation: 'TransactWriteItems',
            }),
            metric('ConditionalCheckFailedRequests', 'Sum', 300, {
              TableName: quotaEventsTable.tableName,
            }),
            metric('TransactionConflict', 'Sum', 300, { TableName: quotaEventsTable.tableName }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## agentcore-prod-quota-events, TierEventIndex',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: quotaEventsTable.tableName,
              GlobalSecondaryIndexName: 'TierEventIndex',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: quotaEventsTable.tableName,
              GlobalSecondaryIndexName: 'TierEventIndex',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: quotaEventsTable.tableName,
              GlobalSecondaryIndexName: 'TierEventIndex',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: quotaEventsTable.tableName,
              GlobalSecondaryIndexName: 'TierEventIndex',
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## agentcore-prod-user-quotas',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 4, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
            }),
          ]),
          graph('Writes', 4, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
            }),
          ]),
          graph('Throttled', 4, [
            metric('ReadThrottleEvents', 'Sum', 300, { TableName: userQuotasTable.tableName }),
            metric('WriteThrottleEvents', 'Sum', 300, { TableName: userQuotasTable.tableName }),
          ]),
          graph('Latency (ms)', 4, [
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: userQuotasTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: userQuotasTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: userQuotasTable.tableName,
              Operation: 'Query',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: userQuotasTable.tableName,
              Operation: 'TransactWriteItems',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: userQuotasTable.tableName,
              Operation: 'UpdateItem',
            }),
          ]),
          graph('Failures', 4, [
            metric('SystemErrors', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
              Operation: 'Query',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
              Operation: 'TransactWriteItems',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
              Operation: 'UpdateItem',
            }),
            metric('ConditionalCheckFailedRequests', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
            }),
            metric('TransactionConflict', 'Sum', 300, { TableName: userQuotasTable.tableName }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## agentcore-prod-user-quotas, TierLookupIndex',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
              GlobalSecondaryIndexName: 'TierLookupIndex',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
              GlobalSecondaryIndexName: 'TierLookupIndex',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
              GlobalSecondaryIndexName: 'TierLookupIndex',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
              GlobalSecondaryIndexName: 'TierLookupIndex',
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## agentcore-prod-user-quotas, SubjectIndex',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
              GlobalSecondaryIndexName: 'SubjectIndex',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
              GlobalSecondaryIndexName: 'SubjectIndex',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
              GlobalSecondaryIndexName: 'SubjectIndex',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
              GlobalSecondaryIndexName: 'SubjectIndex',
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## agentcore-prod-user-quotas, AssignmentTypeIndex',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
              GlobalSecondaryIndexName: 'AssignmentTypeIndex',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
              GlobalSecondaryIndexName: 'AssignmentTypeIndex',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
              GlobalSecondaryIndexName: 'AssignmentTypeIndex',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: userQuotasTable.tableName,
              GlobalSecondaryIndexName: 'AssignmentTypeIndex',
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## agentcore-prod-sessions-metadata',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 4, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
            }),
          ]),
          graph('Writes', 4, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
            }),
          ]),
          graph('Throttled', 4, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
            }),
          ]),
          graph('Latency (ms)', 4, [
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: sessionsMetadataTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: sessionsMetadataTable.tableName,
              Operation: 'Query',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: sessionsMetadataTable.tableName,
              Operation: 'TransactWriteItems',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: sessionsMetadataTable.tableName,
              Operation: 'UpdateItem',
            }),
          ]),
          graph('Failures', 4, [
            metric('SystemErrors', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
              Operation: 'Query',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
              Operation: 'TransactWriteItems',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
              Operation: 'UpdateItem',
            }),
            metric('ConditionalCheckFailedRequests', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
            }),
            metric('TransactionConflict', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## agentcore-prod-sessions-metadata, UserTimestampIndex',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
              GlobalSecondaryIndexName: 'UserTimestampIndex',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
              GlobalSecondaryIndexName: 'UserTimestampIndex',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
              GlobalSecondaryIndexName: 'UserTimestampIndex',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
              GlobalSecondaryIndexName: 'UserTimestampIndex',
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## agentcore-prod-sessions-metadata, SessionLookupIndex',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
              GlobalSecondaryIndexName: 'SessionLookupIndex',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
              GlobalSecondaryIndexName: 'SessionLookupIndex',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
              GlobalSecondaryIndexName: 'SessionLookupIndex',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: sessionsMetadataTable.tableName,
              GlobalSecondaryIndexName: 'SessionLookupIndex',
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## agentcore-prod-oidc-state',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 4, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: oidcStateTable.tableName,
            }),
          ]),
          graph('Writes', 4, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: oidcStateTable.tableName,
            }),
          ]),
          graph('Throttled', 4, [
            metric('ReadThrottleEvents', 'Sum', 300, { TableName: oidcStateTable.tableName }),
            metric('WriteThrottleEvents', 'Sum', 300, { TableName: oidcStateTable.tableName }),
          ]),
          graph('Latency (ms)', 4, [
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: oidcStateTable.tableName,
              Operation: 'DeleteItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: oidcStateTable.tableName,
              Operation: 'PutItem',
            }),
          ]),
          graph('Failures', 4, [
            metric('SystemErrors', 'Sum', 300, {
              TableName: oidcStateTable.tableName,
              Operation: 'DeleteItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: oidcStateTable.tableName,
              Operation: 'PutItem',
            }),
            metric('ConditionalCheckFailedRequests', 'Sum', 300, {
              TableName: oidcStateTable.tableName,
            }),
            metric('TransactionConflict', 'Sum', 300, { TableName: oidcStateTable.tableName }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## agentcore-prod-user-cost-summary',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 4, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: userCostSummaryTable.tableName,
            }),
          ]),
          graph('Writes', 4, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: userCostSummaryTable.tableName,
            }),
          ]),
          graph('Throttled', 4, [
            metric('ReadThrottleEvents', 'Sum', 300, { TableName: userCostSummaryTable.tableName }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: userCostSummaryTable.tableName,
            }),
          ]),
          graph('Latency (ms)', 4, [
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: userCostSummaryTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: userCostSummaryTable.tableName,
              Operation: 'Query',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: userCostSummaryTable.tableName,
              Operation: 'TransactWriteItems',
            }),
          ]),
          graph('Failures', 4, [
            metric('SystemErrors', 'Sum', 300, {
              TableName: userCostSummaryTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: userCostSummaryTable.tableName,
              Operation: 'Query',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: userCostSummaryTable.tableName,
              Operation: 'TransactWriteItems',
            }),
            metric('ConditionalCheckFailedRequests', 'Sum', 300, {
              TableName: userCostSummaryTable.tableName,
            }),
            metric('TransactionConflict', 'Sum', 300, {
              TableName: userCostSummaryTable.tableName,
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## agentcore-prod-user-cost-summary, TopSpendersIndex',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: userCostSummaryTable.tableName,
              GlobalSecondaryIndexName: 'TopSpendersIndex',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: userCostSummaryTable.tableName,
              GlobalSecondaryIndexName: 'TopSpendersIndex',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: userCostSummaryTable.tableName,
              GlobalSecondaryIndexName: 'TopSpendersIndex',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: userCostSummaryTable.tableName,
              GlobalSecondaryIndexName: 'TopSpendersIndex',
            }),
          ]),
        ],
      ],
    });

    // Outputs.
    new cdk.CfnOutput(this, 'AssistantsTableName', {
      value: assistantsTable.tableName,
      description: 'The name of agentcore-prod-assistants, as it is deployed',
    });
    new cdk.CfnOutput(this, 'QuotaEventsTableName', {
      value: quotaEventsTable.tableName,
      description: 'The name of agentcore-prod-quota-events, as it is deployed',
    });
    new cdk.CfnOutput(this, 'UserQuotasTableName', {
      value: userQuotasTable.tableName,
      description: 'The name of agentcore-prod-user-quotas, as it is deployed',
    });
    new cdk.CfnOutput(this, 'SessionsMetadataTableName', {
      value: sessionsMetadataTable.tableName,
      description: 'The name of agentcore-prod-sessions-metadata, as it is deployed',
    });
    new cdk.CfnOutput(this, 'OidcStateTableName', {
      value: oidcStateTable.tableName,
      description: 'The name of agentcore-prod-oidc-state, as it is deployed',
    });
    new cdk.CfnOutput(this, 'UserCostSummaryTableName', {
      value: userCostSummaryTable.tableName,
      description: 'The name of agentcore-prod-user-cost-summary, as it is deployed',
    });
    new cdk.CfnOutput(this, 'QuotaReaderPolicyArn', {
      value: quotaReaderPolicy.managedPolicyArn,
      description: 'What the patterns of the role quota-reader send',
    });
    new cdk.CfnOutput(this, 'QuotaAdminPolicyArn', {
      value: quotaAdminPolicy.managedPolicyArn,
      description: 'What the patterns of the role quota-admin send',
    });
    new cdk.CfnOutput(this, 'QuotaCheckPolicyArn', {
      value: quotaCheckPolicy.managedPolicyArn,
      description: 'What the patterns of the role quota-check send',
    });
    new cdk.CfnOutput(this, 'CostReaderPolicyArn', {
      value: costReaderPolicy.managedPolicyArn,
      description: 'What the patterns of the role cost-reader send',
    });
    new cdk.CfnOutput(this, 'ChatPolicyArn', {
      value: chatPolicy.managedPolicyArn,
      description: 'What the patterns of the role chat send',
    });
    new cdk.CfnOutput(this, 'SignInPolicyArn', {
      value: signInPolicy.managedPolicyArn,
      description: 'What the patterns of the role sign-in send',
    });
    new cdk.CfnOutput(this, 'AssistantReaderPolicyArn', {
      value: assistantReaderPolicy.managedPolicyArn,
      description: 'What the patterns of the role assistant-reader send',
    });
    new cdk.CfnOutput(this, 'AssistantBuilderPolicyArn', {
      value: assistantBuilderPolicy.managedPolicyArn,
      description: 'What the patterns of the role assistant-builder send',
    });
    new cdk.CfnOutput(this, 'AlarmTopicArn', {
      value: alarmTopic.topicArn,
      description: 'Where alarms go',
    });
  }
}

/** One of DynamoDB's metrics, over so many seconds. */
function metric(
  metricName: string,
  statistic: string,
  seconds: number,
  dimensionsMap: Record<string, string>,
): cloudwatch.Metric {
  return new cloudwatch.Metric({
    namespace: 'AWS/DynamoDB',
    metricName,
    statistic,
    dimensionsMap,
    period: cdk.Duration.seconds(seconds),
  });
}

/** A picture of metrics on the dashboard. */
function graph(title: string, width: number, left: cloudwatch.IMetric[]): cloudwatch.GraphWidget {
  return new cloudwatch.GraphWidget({ title, width, height: 6, left });
}

/** Tells the topic when a metric reaches the threshold; silence means that nothing happened. */
function alarm(
  scope: Construct,
  id: string,
  alarmName: string,
  alarmDescription: string,
  watched: cloudwatch.IMetric,
  threshold: number,
  topic: sns.ITopic,
): void {
  const made = new cloudwatch.Alarm(scope, id, {
    alarmName,
    alarmDescription,
    metric: watched,
    threshold,
    evaluationPeriods: 1,
    comparisonOperator: cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    treatMissingData: cloudwatch.TreatMissingData.NOT_BREACHING,
  });
  made.addAlarmAction(new actions.SnsAction(topic));
}
