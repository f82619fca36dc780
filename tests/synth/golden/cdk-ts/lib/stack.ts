// Made from the design by `sortkey synth`. Change the design and make it anew.
import * as cdk from 'aws-cdk-lib';
import * as backup from 'aws-cdk-lib/aws-backup';
import * as cloudwatch from 'aws-cdk-lib/aws-cloudwatch';
import * as actions from 'aws-cdk-lib/aws-cloudwatch-actions';
import * as dynamodb from 'aws-cdk-lib/aws-dynamodb';
import * as events from 'aws-cdk-lib/aws-events';
import * as iam from 'aws-cdk-lib/aws-iam';
import * as sns from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';

/** The DynamoDB tables of gymcoach in prod, and who may use them. */
export class GymcoachStack extends cdk.Stack {
  constructor(scope: Construct, id: string, props?: cdk.StackProps) {
    super(scope, id, props);

    // Tables.

    // Everything, on demand.
    //
    // Partitions such as ``WORKOUT_SESSIONS`` are everybody's. One begins at 1,000 write units and
    // 3,000 read units a second, and DynamoDB splits it only where the sort keys spread the load.
    // They stay, for whoever has data in that shape; what they cost is on the system's page.
    const gymCoachTable = new dynamodb.Table(this, 'GymCoachTable', {
      tableName: 'gymcoach-ai-main',
      partitionKey: { name: 'PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'SK', type: dynamodb.AttributeType.STRING },
      billingMode: dynamodb.BillingMode.PAY_PER_REQUEST,
      timeToLiveAttribute: 'ttl',
      stream: dynamodb.StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: {
        pointInTimeRecoveryEnabled: true,
        recoveryPeriodInDays: 35,
      },
      deletionProtection: true,
      tableClass: dynamodb.TableClass.STANDARD,
      encryption: dynamodb.TableEncryption.AWS_MANAGED,
      removalPolicy: cdk.RemovalPolicy.RETAIN,
    });
    gymCoachTable.addGlobalSecondaryIndex({
      indexName: 'GSI1',
      partitionKey: { name: 'GSI1PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI1SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });
    gymCoachTable.addGlobalSecondaryIndex({
      indexName: 'GSI2',
      partitionKey: { name: 'GSI2PK', type: dynamodb.AttributeType.STRING },
      sortKey: { name: 'GSI2SK', type: dynamodb.AttributeType.STRING },
      projectionType: dynamodb.ProjectionType.ALL,
    });

    // Policies.

    const appPolicy = new iam.ManagedPolicy(this, 'AppPolicy', {
      managedPolicyName: 'gymcoach-prod-app',
      description: 'What the patterns of the role app send',
      statements: [
        // For user, register_user, update_user_profile, fitness_profile,
        // create_user_fitness_profile, update_user_fitness_profile,
        // delete_user_fitness_profile, workout_plan, create_workout_plan,
        // update_workout_plan, delete_workout_plan, workout_session,
        // create_workout_session, update_workout_session, delete_workout_session,
        // finish_session, exercise_substitution, create_exercise_substitution,
        // update_exercise_substitution, delete_exercise_substitution,
        // workout_recommendation, create_workout_recommendation,
        // update_workout_recommendation, delete_workout_recommendation,
        // apply_recommendation, adaptive_plan, create_adaptive_plan,
        // update_adaptive_plan, delete_adaptive_plan, recovery_plan,
        // create_recovery_plan, update_recovery_plan, delete_recovery_plan,
        // progress_photo, create_progress_photo, update_progress_photo,
        // delete_progress_photo, metrics_of_user, metrics_of_period,
        // create_progress_metrics, update_progress_metrics,
        // delete_progress_metrics, strength_between, strength_on_day,
        // create_strength_progress, update_strength_progress,
        // delete_strength_progress, measurements_between, body_measurement,
        // create_body_measurement, update_body_measurement,
        // delete_body_measurement, progress_chart, create_progress_chart,
        // update_progress_chart, delete_progress_chart, milestone,
        // create_milestone, update_milestone, delete_milestone, trends_between,
        // performance_trend, create_performance_trend, update_performance_trend,
        // delete_performance_trend, device_token, create_device_token,
        // update_device_token, delete_device_token, notification_record,
        // create_notification_record, update_notification_record,
        // delete_notification_record, notification_setup,
        // create_notification_preferences, update_notification_preferences,
        // delete_notification_preferences.
        new iam.PolicyStatement({
          sid: 'GymCoach',
          actions: [
            'dynamodb:ConditionCheckItem',
            'dynamodb:DeleteItem',
            'dynamodb:GetItem',
            'dynamodb:PutItem',
            'dynamodb:Query',
            'dynamodb:UpdateItem',
          ],
          resources: [gymCoachTable.tableArn],
        }),
        // For milestones_under_way.
        new iam.PolicyStatement({
          sid: 'GymCoach2',
          actions: ['dynamodb:Query'],
          resources: [`${gymCoachTable.tableArn}/index/GSI1`],
        }),
      ],
    });

    const coachPolicy = new iam.ManagedPolicy(this, 'CoachPolicy', {
      managedPolicyName: 'gymcoach-prod-coach',
      description: 'What the patterns of the role coach send',
      statements: [
        // For active_rules, active_rules_of_type.
        new iam.PolicyStatement({
          sid: 'GymCoach',
          actions: ['dynamodb:Query'],
          resources: [`${gymCoachTable.tableArn}/index/GSI2`],
        }),
        // For fitness_profile, give_advice, create_workout_recommendation.
        new iam.PolicyStatement({
          sid: 'GymCoach2',
          actions: ['dynamodb:ConditionCheckItem', 'dynamodb:GetItem', 'dynamodb:PutItem'],
          resources: [gymCoachTable.tableArn],
        }),
      ],
    });

    const editorPolicy = new iam.ManagedPolicy(this, 'EditorPolicy', {
      managedPolicyName: 'gymcoach-prod-editor',
      description: 'What the patterns of the role editor send',
      statements: [
        // For all_exercises, exercise, create_exercise, update_exercise,
        // delete_exercise, all_coaching_rules, coaching_rule,
        // create_coaching_rule, update_coaching_rule, delete_coaching_rule.
        new iam.PolicyStatement({
          sid: 'GymCoach',
          actions: [
            'dynamodb:DeleteItem',
            'dynamodb:GetItem',
            'dynamodb:PutItem',
            'dynamodb:Query',
            'dynamodb:UpdateItem',
          ],
          resources: [gymCoachTable.tableArn],
        }),
      ],
    });

    const eraserPolicy = new iam.ManagedPolicy(this, 'EraserPolicy', {
      managedPolicyName: 'gymcoach-prod-eraser',
      description: 'What the patterns of the role eraser send',
      statements: [
        // For user, create_user_profile, begin_deletion, end_deletion,
        // remains_advice_given, remains_progress_metrics,
        // remains_strength_progress, remains_body_measurement,
        // remains_performance_trend, remains_device_token,
        // remains_notification_preferences, remains_reminder,
        // remains_user_fitness_profile, erase_workout_plan, erase_workout_session,
        // erase_exercise_substitution, erase_workout_recommendation,
        // erase_advice_given, erase_adaptive_plan, erase_recovery_plan,
        // erase_progress_photo, erase_progress_metrics, erase_strength_progress,
        // erase_body_measurement, erase_progress_chart, erase_milestone,
        // erase_performance_trend, erase_notification_record, erase_device_token,
        // erase_notification_preferences, erase_reminder,
        // erase_user_fitness_profile.
        new iam.PolicyStatement({
          sid: 'GymCoach',
          actions: [
            'dynamodb:ConditionCheckItem',
            'dynamodb:DeleteItem',
            'dynamodb:GetItem',
            'dynamodb:PutItem',
            'dynamodb:Query',
            'dynamodb:UpdateItem',
          ],
          resources: [gymCoachTable.tableArn],
        }),
        // For deletions_under_way, remains_workout_plan, remains_workout_session,
        // remains_exercise_substitution, remains_workout_recommendation,
        // remains_adaptive_plan, remains_recovery_plan, remains_progress_photo,
        // remains_progress_chart, remains_milestone, remains_notification_record.
        new iam.PolicyStatement({
          sid: 'GymCoach2',
          actions: ['dynamodb:Query'],
          resources: [
            `${gymCoachTable.tableArn}/index/GSI1`,
            `${gymCoachTable.tableArn}/index/GSI2`,
          ],
        }),
      ],
    });

    const libraryPolicy = new iam.ManagedPolicy(this, 'LibraryPolicy', {
      managedPolicyName: 'gymcoach-prod-library',
      description: 'What the patterns of the role library send',
      statements: [
        // For exercise, all_exercises.
        new iam.PolicyStatement({
          sid: 'GymCoach',
          actions: ['dynamodb:GetItem', 'dynamodb:Query'],
          resources: [gymCoachTable.tableArn],
        }),
        // For exercises_of_category, exercises_of_difficulty.
        new iam.PolicyStatement({
          sid: 'GymCoach2',
          actions: ['dynamodb:Query'],
          resources: [
            `${gymCoachTable.tableArn}/index/GSI1`,
            `${gymCoachTable.tableArn}/index/GSI2`,
          ],
        }),
      ],
    });

    const memberPolicy = new iam.ManagedPolicy(this, 'MemberPolicy', {
      managedPolicyName: 'gymcoach-prod-member',
      description: 'What the patterns of the role member send, each session for one user_id',
      statements: [
        // For user, advice_given, advice_given_to, devices_of_user, device_token,
        // notification_preferences, notification_setup, reminder.
        new iam.PolicyStatement({
          sid: 'GymCoachOwn',
          actions: ['dynamodb:GetItem', 'dynamodb:Query'],
          resources: [gymCoachTable.tableArn],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['USER#${aws:PrincipalTag/user_id}'],
            },
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        }),
        // For workout_plans_of_user, workout_sessions_of_user,
        // exercise_substitutions_of_user, workout_recommendations_of_user,
        // adaptive_plans_of_user, recovery_plans_of_user, progress_photos_of_user,
        // progress_charts_of_user, milestones_of_user, milestones_under_way,
        // notification_records_of_user.
        new iam.PolicyStatement({
          sid: 'GymCoachOwn2',
          actions: ['dynamodb:Query'],
          resources: [`${gymCoachTable.tableArn}/index/GSI1`],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': ['USER#${aws:PrincipalTag/user_id}'],
            },
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        }),
        // For active_workout_plans, open_recommendations, active_adaptive_plans.
        new iam.PolicyStatement({
          sid: 'GymCoachOwn3',
          actions: ['dynamodb:Query'],
          resources: [`${gymCoachTable.tableArn}/index/GSI2`],
          conditions: {
            'ForAllValues:StringEquals': {
              'dynamodb:LeadingKeys': [
                'ACTIVE_PLANS#${aws:PrincipalTag/user_id}',
                'OPEN_RECOMMENDATIONS#${aws:PrincipalTag/user_id}',
              ],
            },
            Null: { 'dynamodb:LeadingKeys': 'false' },
          },
        }),
      ],
    });

    const messengerPolicy = new iam.ManagedPolicy(this, 'MessengerPolicy', {
      managedPolicyName: 'gymcoach-prod-messenger',
      description: 'What the patterns of the role messenger send',
      statements: [
        // For reminders_due.
        new iam.PolicyStatement({
          sid: 'GymCoach',
          actions: ['dynamodb:Query'],
          resources: [`${gymCoachTable.tableArn}/index/GSI2`],
        }),
        // For devices_of_user, notification_records_by_id, notification_record,
        // create_notification_record, update_notification_record.
        new iam.PolicyStatement({
          sid: 'GymCoach2',
          actions: [
            'dynamodb:ConditionCheckItem',
            'dynamodb:GetItem',
            'dynamodb:PutItem',
            'dynamodb:Query',
            'dynamodb:UpdateItem',
          ],
          resources: [gymCoachTable.tableArn],
        }),
      ],
    });

    // Alarms.

    const alarmTopic = new sns.Topic(this, 'AlarmTopic', { topicName: 'gymcoach-prod-alarms' });
    alarm(
      this,
      'GymCoachTableReadThrottledAlarm',
      'gymcoach-ai-main-read-throttled',
      'gymcoach-ai-main: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, { TableName: gymCoachTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTableWriteThrottledAlarm',
      'gymcoach-ai-main-write-throttled',
      'gymcoach-ai-main: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, { TableName: gymCoachTable.tableName }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTableGSI1ReadThrottledAlarm',
      'gymcoach-ai-main-GSI1-read-throttled',
      'gymcoach-ai-main, GSI1: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: gymCoachTable.tableName,
        GlobalSecondaryIndexName: 'GSI1',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTableGSI1WriteThrottledAlarm',
      'gymcoach-ai-main-GSI1-write-throttled',
      'gymcoach-ai-main, GSI1: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: gymCoachTable.tableName,
        GlobalSecondaryIndexName: 'GSI1',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTableGSI2ReadThrottledAlarm',
      'gymcoach-ai-main-GSI2-read-throttled',
      'gymcoach-ai-main, GSI2: Reads were throttled',
      metric('ReadThrottleEvents', 'Sum', 300, {
        TableName: gymCoachTable.tableName,
        GlobalSecondaryIndexName: 'GSI2',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTableGSI2WriteThrottledAlarm',
      'gymcoach-ai-main-GSI2-write-throttled',
      'gymcoach-ai-main, GSI2: Writes were throttled',
      metric('WriteThrottleEvents', 'Sum', 300, {
        TableName: gymCoachTable.tableName,
        GlobalSecondaryIndexName: 'GSI2',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTableDeleteItemSystemErrorsAlarm',
      'gymcoach-ai-main-delete-item-system-errors',
      'gymcoach-ai-main: DeleteItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: gymCoachTable.tableName,
        Operation: 'DeleteItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTableDeleteItemLatencyAlarm',
      'gymcoach-ai-main-delete-item-latency',
      'gymcoach-ai-main: DeleteItem takes 50 ms or more on average',
      metric('SuccessfulRequestLatency', 'Average', 300, {
        TableName: gymCoachTable.tableName,
        Operation: 'DeleteItem',
      }),
      50,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTableGetItemSystemErrorsAlarm',
      'gymcoach-ai-main-get-item-system-errors',
      'gymcoach-ai-main: GetItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: gymCoachTable.tableName,
        Operation: 'GetItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTableGetItemLatencyAlarm',
      'gymcoach-ai-main-get-item-latency',
      'gymcoach-ai-main: GetItem takes 50 ms or more on average',
      metric('SuccessfulRequestLatency', 'Average', 300, {
        TableName: gymCoachTable.tableName,
        Operation: 'GetItem',
      }),
      50,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTablePutItemSystemErrorsAlarm',
      'gymcoach-ai-main-put-item-system-errors',
      'gymcoach-ai-main: PutItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: gymCoachTable.tableName,
        Operation: 'PutItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTablePutItemLatencyAlarm',
      'gymcoach-ai-main-put-item-latency',
      'gymcoach-ai-main: PutItem takes 50 ms or more on average',
      metric('SuccessfulRequestLatency', 'Average', 300, {
        TableName: gymCoachTable.tableName,
        Operation: 'PutItem',
      }),
      50,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTableQuerySystemErrorsAlarm',
      'gymcoach-ai-main-query-system-errors',
      'gymcoach-ai-main: Query failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: gymCoachTable.tableName,
        Operation: 'Query',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTableQueryLatencyAlarm',
      'gymcoach-ai-main-query-latency',
      'gymcoach-ai-main: Query takes 50 ms or more on average',
      metric('SuccessfulRequestLatency', 'Average', 300, {
        TableName: gymCoachTable.tableName,
        Operation: 'Query',
      }),
      50,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTableTransactWriteItemsSystemErrorsAlarm',
      'gymcoach-ai-main-transact-write-items-system-errors',
      'gymcoach-ai-main: TransactWriteItems failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: gymCoachTable.tableName,
        Operation: 'TransactWriteItems',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTableTransactWriteItemsLatencyAlarm',
      'gymcoach-ai-main-transact-write-items-latency',
      'gymcoach-ai-main: TransactWriteItems takes 50 ms or more on average',
      metric('SuccessfulRequestLatency', 'Average', 300, {
        TableName: gymCoachTable.tableName,
        Operation: 'TransactWriteItems',
      }),
      50,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTableUpdateItemSystemErrorsAlarm',
      'gymcoach-ai-main-update-item-system-errors',
      'gymcoach-ai-main: UpdateItem failed within DynamoDB',
      metric('SystemErrors', 'Sum', 300, {
        TableName: gymCoachTable.tableName,
        Operation: 'UpdateItem',
      }),
      1,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTableUpdateItemLatencyAlarm',
      'gymcoach-ai-main-update-item-latency',
      'gymcoach-ai-main: UpdateItem takes 50 ms or more on average',
      metric('SuccessfulRequestLatency', 'Average', 300, {
        TableName: gymCoachTable.tableName,
        Operation: 'UpdateItem',
      }),
      50,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTableConditionalFailuresAlarm',
      'gymcoach-ai-main-conditional-failures',
      'gymcoach-ai-main: Many conditions of writes did not hold',
      metric('ConditionalCheckFailedRequests', 'Sum', 300, { TableName: gymCoachTable.tableName }),
      1000,
      alarmTopic,
    );
    alarm(
      this,
      'GymCoachTableTransactionConflictsAlarm',
      'gymcoach-ai-main-transaction-conflicts',
      'gymcoach-ai-main: Many requests met a transaction on the same record',
      metric('TransactionConflict', 'Sum', 300, { TableName: gymCoachTable.tableName }),
      100,
      alarmTopic,
    );
    alarm(
      this,
      'UserErrorsAlarm',
      'gymcoach-prod-user-errors',
      'Requests that DynamoDB refused as wrong, of everybody in this account and region',
      metric('UserErrors', 'Sum', 300, {}),
      100,
      alarmTopic,
    );

    // Dashboard.
    new cloudwatch.Dashboard(this, 'Dashboard', {
      dashboardName: 'gymcoach-prod',
      widgets: [
        [new cloudwatch.TextWidget({ markdown: '## gymcoach-ai-main', width: 24, height: 1 })],
        [
          graph('Reads', 4, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, { TableName: gymCoachTable.tableName }),
          ]),
          graph('Writes', 4, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: gymCoachTable.tableName,
            }),
          ]),
          graph('Throttled', 4, [
            metric('ReadThrottleEvents', 'Sum', 300, { TableName: gymCoachTable.tableName }),
            metric('WriteThrottleEvents', 'Sum', 300, { TableName: gymCoachTable.tableName }),
          ]),
          graph('Latency (ms)', 4, [
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: gymCoachTable.tableName,
              Operation: 'DeleteItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: gymCoachTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: gymCoachTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: gymCoachTable.tableName,
              Operation: 'Query',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: gymCoachTable.tableName,
              Operation: 'TransactWriteItems',
            }),
            metric('SuccessfulRequestLatency', 'Average', 300, {
              TableName: gymCoachTable.tableName,
              Operation: 'UpdateItem',
            }),
          ]),
          graph('Failures', 4, [
            metric('SystemErrors', 'Sum', 300, {
              TableName: gymCoachTable.tableName,
              Operation: 'DeleteItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: gymCoachTable.tableName,
              Operation: 'GetItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: gymCoachTable.tableName,
              Operation: 'PutItem',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: gymCoachTable.tableName,
              Operation: 'Query',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: gymCoachTable.tableName,
              Operation: 'TransactWriteItems',
            }),
            metric('SystemErrors', 'Sum', 300, {
              TableName: gymCoachTable.tableName,
              Operation: 'UpdateItem',
            }),
            metric('ConditionalCheckFailedRequests', 'Sum', 300, {
              TableName: gymCoachTable.tableName,
            }),
            metric('TransactionConflict', 'Sum', 300, { TableName: gymCoachTable.tableName }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## gymcoach-ai-main, GSI1',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: gymCoachTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: gymCoachTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: gymCoachTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: gymCoachTable.tableName,
              GlobalSecondaryIndexName: 'GSI1',
            }),
          ]),
        ],
        [
          new cloudwatch.TextWidget({
            markdown: '## gymcoach-ai-main, GSI2',
            width: 24,
            height: 1,
          }),
        ],
        [
          graph('Reads', 8, [
            metric('ConsumedReadCapacityUnits', 'Sum', 300, {
              TableName: gymCoachTable.tableName,
              GlobalSecondaryIndexName: 'GSI2',
            }),
          ]),
          graph('Writes', 8, [
            metric('ConsumedWriteCapacityUnits', 'Sum', 300, {
              TableName: gymCoachTable.tableName,
              GlobalSecondaryIndexName: 'GSI2',
            }),
          ]),
          graph('Throttled', 8, [
            metric('ReadThrottleEvents', 'Sum', 300, {
              TableName: gymCoachTable.tableName,
              GlobalSecondaryIndexName: 'GSI2',
            }),
            metric('WriteThrottleEvents', 'Sum', 300, {
              TableName: gymCoachTable.tableName,
              GlobalSecondaryIndexName: 'GSI2',
            }),
          ]),
        ],
      ],
    });

    // Backups.

    // Stays when the stack goes: that is what it is for.
    const backupVault = new backup.BackupVault(this, 'BackupVault', {
      backupVaultName: 'gymcoach-prod-backups',
      removalPolicy: cdk.RemovalPolicy.RETAIN,
    });

    // Copies go to the vault gymcoach-prod-backups in eu-west-1, which must be there.
    const backupPlan = new backup.BackupPlan(this, 'BackupPlan', {
      backupPlanName: 'gymcoach-prod-backups',
      backupVault: backupVault,
    });
    backupPlan.addRule(new backup.BackupPlanRule({
      ruleName: 'gymcoach-prod-backups',
      scheduleExpression: events.Schedule.expression('cron(0 3 * * ? *)'),
      deleteAfter: cdk.Duration.days(35),
      copyActions: [
        {
          destinationBackupVault: backup.BackupVault.fromBackupVaultArn(
            this,
            'BackupPlanCopies',
            `arn:${this.partition}:backup:eu-west-1:${this.account}:backup-vault:gymcoach-prod-backups`,
          ),
          deleteAfter: cdk.Duration.days(35),
        },
      ],
    }));
    backupPlan.addSelection('Tables', {
      backupSelectionName: 'gymcoach-prod-backups',
      resources: [backup.BackupResource.fromArn(gymCoachTable.tableArn)],
    });

    // Outputs.
    new cdk.CfnOutput(this, 'GymCoachTableName', {
      value: gymCoachTable.tableName,
      description: 'The name of gymcoach-ai-main, as it is deployed',
    });
    new cdk.CfnOutput(this, 'AppPolicyArn', {
      value: appPolicy.managedPolicyArn,
      description: 'What the patterns of the role app send',
    });
    new cdk.CfnOutput(this, 'CoachPolicyArn', {
      value: coachPolicy.managedPolicyArn,
      description: 'What the patterns of the role coach send',
    });
    new cdk.CfnOutput(this, 'EditorPolicyArn', {
      value: editorPolicy.managedPolicyArn,
      description: 'What the patterns of the role editor send',
    });
    new cdk.CfnOutput(this, 'EraserPolicyArn', {
      value: eraserPolicy.managedPolicyArn,
      description: 'What the patterns of the role eraser send',
    });
    new cdk.CfnOutput(this, 'LibraryPolicyArn', {
      value: libraryPolicy.managedPolicyArn,
      description: 'What the patterns of the role library send',
    });
    new cdk.CfnOutput(this, 'MemberPolicyArn', {
      value: memberPolicy.managedPolicyArn,
      description: 'What the patterns of the role member send, each session for one user_id',
    });
    new cdk.CfnOutput(this, 'MessengerPolicyArn', {
      value: messengerPolicy.managedPolicyArn,
      description: 'What the patterns of the role messenger send',
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
