"""Every rule, in the order of their codes."""

from sortkey.check.rule import Rule
from sortkey.check.rules.sk101_shared_key import shared_key
from sortkey.check.rules.sk102_identity_not_in_key import identity_not_in_key
from sortkey.check.rules.sk103_optional_key import optional_key
from sortkey.check.rules.sk104_shared_name import shared_name
from sortkey.check.rules.sk105_foreign_index import foreign_index
from sortkey.check.rules.sk106_templates_do_not_fit import templates_do_not_fit
from sortkey.check.rules.sk107_no_such_attribute import no_such_attribute
from sortkey.check.rules.sk108_key_type import key_type
from sortkey.check.rules.sk109_attribute_clash import attribute_clash
from sortkey.check.rules.sk110_too_many_key_attributes import too_many_key_attributes
from sortkey.check.rules.sk111_recovery_days import recovery_days
from sortkey.check.rules.sk112_unstorable_field import unstorable_field
from sortkey.check.rules.sk113_two_marks import two_marks
from sortkey.check.rules.sk114_unique_needs_text_keys import unique_needs_text_keys
from sortkey.check.rules.sk115_version_default import version_default
from sortkey.check.rules.sk116_bad_shards import bad_shards
from sortkey.check.rules.sk117_bad_name import bad_name
from sortkey.check.rules.sk118_shape_clash import shape_clash
from sortkey.check.rules.sk119_collection_member import collection_member
from sortkey.check.rules.sk121_secret_in_key import secret_in_key
from sortkey.check.rules.sk122_secret_and_seen import secret_and_seen
from sortkey.check.rules.sk123_secret_inside import secret_inside
from sortkey.check.rules.sk124_operation_as_field import operation_as_field
from sortkey.check.rules.sk125_bad_standard import bad_standard
from sortkey.check.rules.sk127_bad_earlier_key import bad_earlier_key
from sortkey.check.rules.sk128_plaintext_without_secret import plaintext_without_secret
from sortkey.check.rules.sk131_two_typed_attribute import two_typed_attribute
from sortkey.check.rules.sk132_foreign_index_entry import foreign_index_entry
from sortkey.check.rules.sk133_id_not_in_key import id_not_in_key
from sortkey.check.rules.sk134_mutable_key import mutable_key
from sortkey.check.rules.sk135_null_index_key import null_index_key
from sortkey.check.rules.sk136_repeated_key import repeated_key
from sortkey.check.rules.sk137_number_as_text import number_as_text
from sortkey.check.rules.sk138_size_of_absent import size_of_absent
from sortkey.check.rules.sk140_key_beyond_identity import key_beyond_identity
from sortkey.check.rules.sk141_bad_scope import bad_scope
from sortkey.check.rules.sk142_bad_topic import bad_topic
from sortkey.check.rules.sk200_bad_template import bad_template
from sortkey.check.rules.sk201_unpadded_number import unpadded_number
from sortkey.check.rules.sk202_unordered_time import unordered_time
from sortkey.check.rules.sk203_ambiguous_template import ambiguous_template
from sortkey.check.rules.sk204_reserved_prefix import reserved_prefix
from sortkey.check.rules.sk205_time_as_text import time_as_text
from sortkey.check.rules.sk206_delimiter_in_text import delimiter_in_text
from sortkey.check.rules.sk207_key_too_long import key_too_long
from sortkey.check.rules.sk208_time_as_identity import time_as_identity
from sortkey.check.rules.sk209_odd_characters import odd_characters
from sortkey.check.rules.sk301_ttl_not_configured import ttl_not_configured
from sortkey.check.rules.sk302_ttl_not_seconds import ttl_not_seconds
from sortkey.check.rules.sk303_ttl_never_written import ttl_never_written
from sortkey.check.rules.sk304_unmarked_ttl import unmarked_ttl
from sortkey.check.rules.sk305_expired_read import expired_read
from sortkey.check.rules.sk306_expiry_as_timer import expiry_as_timer
from sortkey.check.rules.sk401_bad_rate import bad_rate
from sortkey.check.rules.sk402_not_a_pattern import not_a_pattern
from sortkey.check.rules.sk403_unknown_annotation import unknown_annotation
from sortkey.check.rules.sk404_shared_pattern_name import shared_pattern_name
from sortkey.check.rules.sk405_refused_pattern import refused_pattern
from sortkey.check.rules.sk406_unplanned_pattern import unplanned_pattern
from sortkey.check.rules.sk407_reads_others import reads_others
from sortkey.check.rules.sk408_open_prefix import open_prefix
from sortkey.check.rules.sk409_input_only_in_filter import input_only_in_filter
from sortkey.check.rules.sk410_needs_what_it_finds import needs_what_it_finds
from sortkey.check.rules.sk411_wasteful_filter import wasteful_filter
from sortkey.check.rules.sk412_short_pages import short_pages
from sortkey.check.rules.sk413_scan import scan
from sortkey.check.rules.sk414_unbounded_read import unbounded_read
from sortkey.check.rules.sk415_stale_read import stale_read
from sortkey.check.rules.sk416_last_day_lost import last_day_lost
from sortkey.check.rules.sk417_merged_read import merged_read
from sortkey.check.rules.sk418_no_rate import no_rate
from sortkey.check.rules.sk419_unused_entity import unused_entity
from sortkey.check.rules.sk420_never_written import never_written
from sortkey.check.rules.sk421_unused_index import unused_index
from sortkey.check.rules.sk422_empty_index import empty_index
from sortkey.check.rules.sk423_unreached_lines import unreached_lines_of_patterns
from sortkey.check.rules.sk424_no_pattern import no_pattern
from sortkey.check.rules.sk425_unread_entries import unread_entries
from sortkey.check.rules.sk426_one_of_many import one_of_many
from sortkey.check.rules.sk427_tied_ranking import tied_ranking
from sortkey.check.rules.sk431_unmoved_index_entry import unmoved_index_entry
from sortkey.check.rules.sk432_stale_credential import stale_credential
from sortkey.check.rules.sk433_query_of_one import query_of_one
from sortkey.check.rules.sk434_stale_decision import stale_decision
from sortkey.check.rules.sk435_rest_unread import rest_unread
from sortkey.check.rules.sk436_order_not_in_key import order_not_in_key
from sortkey.check.rules.sk437_unknown_projection import unknown_projection
from sortkey.check.rules.sk438_words_that_rank import words_that_rank
from sortkey.check.rules.sk439_lost_average import lost_average
from sortkey.check.rules.sk501_bad_expression import bad_expression
from sortkey.check.rules.sk502_unaliased_name import unaliased_name
from sortkey.check.rules.sk503_undefined_placeholder import undefined_placeholder
from sortkey.check.rules.sk504_unused_placeholder import unused_placeholder
from sortkey.check.rules.sk505_bad_placeholder import bad_placeholder
from sortkey.check.rules.sk506_bad_key_condition import bad_key_condition
from sortkey.check.rules.sk507_filter_on_key import filter_on_key
from sortkey.check.rules.sk508_unknown_index import unknown_index
from sortkey.check.rules.sk509_unknown_operation import unknown_operation
from sortkey.check.rules.sk510_misplaced_member import misplaced_member
from sortkey.check.rules.sk511_bad_key import bad_key
from sortkey.check.rules.sk512_unknown_argument import unknown_argument
from sortkey.check.rules.sk513_bad_value import bad_value
from sortkey.check.rules.sk514_consistent_global_index import consistent_global_index
from sortkey.check.rules.sk515_not_projected import not_projected
from sortkey.check.rules.sk516_key_update import key_update
from sortkey.check.rules.sk517_bad_actions import bad_actions
from sortkey.check.rules.sk519_key_of_no_entity import key_of_no_entity
from sortkey.check.rules.sk520_argument_for_key_text import argument_for_key_text
from sortkey.check.rules.sk521_short_range_end import short_range_end
from sortkey.check.rules.sk522_wrong_type import wrong_type
from sortkey.check.rules.sk523_mistyped_comparison import mistyped_comparison
from sortkey.check.rules.sk524_missing_field import missing_field
from sortkey.check.rules.sk525_absent_from_index import absent_from_index
from sortkey.check.rules.sk526_misspelt_attribute import misspelt_attribute
from sortkey.check.rules.sk527_undeclared_attribute import undeclared_attribute
from sortkey.check.rules.sk528_shorter_put import shorter_put
from sortkey.check.rules.sk601_role_without_pattern import role_without_pattern
from sortkey.check.rules.sk602_two_abouts import two_abouts
from sortkey.check.rules.sk603_ignored_without_reason import ignored_without_reason
from sortkey.check.rules.sk604_unused_ignore import unused_ignore
from sortkey.check.rules.sk605_no_recovery import no_recovery
from sortkey.check.rules.sk606_no_deletion_protection import no_deletion_protection
from sortkey.check.rules.sk607_destroyed_in_production import destroyed_in_production
from sortkey.check.rules.sk608_no_alarms import no_alarms
from sortkey.check.rules.sk609_secret_in_clear import secret_in_clear
from sortkey.check.rules.sk610_secret_in_index import secret_in_index
from sortkey.check.rules.sk611_tenant_not_in_key import tenant_not_in_key
from sortkey.check.rules.sk612_role_beyond_subject import role_beyond_subject
from sortkey.check.rules.sk613_pattern_without_role import pattern_without_role
from sortkey.check.rules.sk614_two_spellings import two_spellings
from sortkey.check.rules.sk615_no_type_attribute import no_type_attribute
from sortkey.check.rules.sk616_off_standard import off_standard
from sortkey.check.rules.sk617_clashing_names import clashing_names
from sortkey.check.rules.sk618_refused_by_aws import refused_by_aws
from sortkey.check.rules.sk619_policy_too_long import policy_too_long
from sortkey.check.rules.sk621_bad_program import bad_program
from sortkey.check.rules.sk622_uncallable_handler import uncallable_handler
from sortkey.check.rules.sk623_missing_permission import missing_permission
from sortkey.check.rules.sk624_unneeded_permission import unneeded_permission
from sortkey.check.rules.sk625_unjudged_code import unjudged_code
from sortkey.check.rules.sk626_shared_function_name import shared_function_name
from sortkey.check.rules.sk627_shared_route import shared_route
from sortkey.check.rules.sk628_declared_twice import declared_twice
from sortkey.check.rules.sk629_unverified_route import unverified_route
from sortkey.check.rules.sk630_function_without_trigger import function_without_trigger
from sortkey.check.rules.sk631_unstreamed_change import unstreamed_change
from sortkey.check.rules.sk632_unbalanced_queue import unbalanced_queue
from sortkey.check.rules.sk633_clashing_variables import clashing_variables
from sortkey.check.rules.sk701_unlocked_unique import unlocked_unique
from sortkey.check.rules.sk702_unguarded_write import unguarded_write
from sortkey.check.rules.sk703_silent_overwrite import silent_overwrite
from sortkey.check.rules.sk704_silent_create import silent_create
from sortkey.check.rules.sk705_transaction_of_one import transaction_of_one
from sortkey.check.rules.sk706_transaction_too_large import transaction_too_large
from sortkey.check.rules.sk707_same_item_twice import same_item_twice
from sortkey.check.rules.sk708_stale_index_key import stale_index_key
from sortkey.check.rules.sk709_stale_copy import stale_copy
from sortkey.check.rules.sk710_one_way_relation import one_way_relation
from sortkey.check.rules.sk716_expired_in_the_way import expired_in_the_way
from sortkey.check.rules.sk717_revived_record import revived_record
from sortkey.check.rules.sk718_torn_batch import torn_batch
from sortkey.check.rules.sk719_orphaned_records import orphaned_records
from sortkey.check.rules.sk720_lost_update import lost_update
from sortkey.check.rules.sk801_hot_partition import hot_partition
from sortkey.check.rules.sk802_hot_index import hot_index
from sortkey.check.rules.sk803_narrow_partition import narrow_partition
from sortkey.check.rules.sk804_unread_shards import unread_shards
from sortkey.check.rules.sk805_item_too_large import item_too_large
from sortkey.check.rules.sk806_growing_item import growing_item
from sortkey.check.rules.sk807_large_item_collection import large_item_collection
from sortkey.check.rules.sk808_too_many_indexes import too_many_indexes
from sortkey.check.rules.sk809_too_many_projected import too_many_projected
from sortkey.check.rules.sk810_duplicate_index import duplicate_index
from sortkey.check.rules.sk811_wide_projection import wide_projection
from sortkey.check.rules.sk812_churning_index_key import churning_index_key
from sortkey.check.rules.sk813_key_in_projection import key_in_projection
from sortkey.check.rules.sk816_unbounded_field import unbounded_field
from sortkey.check.rules.sk817_crowded_ranking import crowded_ranking
from sortkey.check.rules.sk818_projected_counter import projected_counter
from sortkey.check.rules.sk819_mergeable_indexes import mergeable_indexes
from sortkey.check.rules.sk820_kept_for_ever import kept_for_ever
from sortkey.check.rules.sk901_changed_key import changed_key
from sortkey.check.rules.sk902_changed_index import changed_index
from sortkey.check.rules.sk903_changed_local_index import changed_local_index
from sortkey.check.rules.sk904_several_index_changes import several_index_changes
from sortkey.check.rules.sk905_removed_table import removed_table
from sortkey.check.rules.sk906_changed_template import changed_template
from sortkey.check.rules.sk907_changed_ttl import changed_ttl
from sortkey.check.rules.sk908_fewer_shards import fewer_shards
from sortkey.check.rules.sk909_removed_index import removed_index
from sortkey.check.rules.sk910_unreadable_records import unreadable_records
from sortkey.check.rules.sk951_bad_sample import bad_sample
from sortkey.check.rules.sk952_unknown_sample import unknown_sample
from sortkey.check.rules.sk953_sample_key import sample_key
from sortkey.check.rules.sk954_sample_type import sample_type
from sortkey.check.rules.sk955_sample_attributes import sample_attributes
from sortkey.check.rules.sk956_sample_expiry import sample_expiry
from sortkey.check.rules.sk957_sample_index import sample_index
from sortkey.check.rules.sk958_sample_size import sample_size
from sortkey.check.rules.sk959_sample_duplicate import sample_duplicate

RULES: tuple[Rule, ...] = (
    shared_key,
    identity_not_in_key,
    optional_key,
    shared_name,
    foreign_index,
    templates_do_not_fit,
    no_such_attribute,
    key_type,
    attribute_clash,
    too_many_key_attributes,
    recovery_days,
    unstorable_field,
    two_marks,
    unique_needs_text_keys,
    version_default,
    bad_shards,
    bad_name,
    shape_clash,
    collection_member,
    secret_in_key,
    secret_and_seen,
    secret_inside,
    operation_as_field,
    bad_standard,
    bad_earlier_key,
    plaintext_without_secret,
    two_typed_attribute,
    foreign_index_entry,
    id_not_in_key,
    mutable_key,
    null_index_key,
    repeated_key,
    number_as_text,
    size_of_absent,
    key_beyond_identity,
    bad_scope,
    bad_topic,
    bad_template,
    unpadded_number,
    unordered_time,
    ambiguous_template,
    reserved_prefix,
    time_as_text,
    delimiter_in_text,
    key_too_long,
    time_as_identity,
    odd_characters,
    ttl_not_configured,
    ttl_not_seconds,
    ttl_never_written,
    unmarked_ttl,
    expired_read,
    expiry_as_timer,
    bad_rate,
    not_a_pattern,
    unknown_annotation,
    shared_pattern_name,
    refused_pattern,
    unplanned_pattern,
    reads_others,
    open_prefix,
    input_only_in_filter,
    needs_what_it_finds,
    wasteful_filter,
    short_pages,
    scan,
    unbounded_read,
    stale_read,
    last_day_lost,
    merged_read,
    no_rate,
    unused_entity,
    never_written,
    unused_index,
    empty_index,
    unreached_lines_of_patterns,
    no_pattern,
    unread_entries,
    one_of_many,
    tied_ranking,
    unmoved_index_entry,
    stale_credential,
    query_of_one,
    stale_decision,
    rest_unread,
    order_not_in_key,
    unknown_projection,
    words_that_rank,
    lost_average,
    bad_expression,
    unaliased_name,
    undefined_placeholder,
    unused_placeholder,
    bad_placeholder,
    bad_key_condition,
    filter_on_key,
    unknown_index,
    unknown_operation,
    misplaced_member,
    bad_key,
    unknown_argument,
    bad_value,
    consistent_global_index,
    not_projected,
    key_update,
    bad_actions,
    key_of_no_entity,
    argument_for_key_text,
    short_range_end,
    wrong_type,
    mistyped_comparison,
    missing_field,
    absent_from_index,
    misspelt_attribute,
    undeclared_attribute,
    shorter_put,
    role_without_pattern,
    two_abouts,
    ignored_without_reason,
    unused_ignore,
    no_recovery,
    no_deletion_protection,
    destroyed_in_production,
    no_alarms,
    secret_in_clear,
    secret_in_index,
    tenant_not_in_key,
    role_beyond_subject,
    pattern_without_role,
    two_spellings,
    no_type_attribute,
    off_standard,
    clashing_names,
    refused_by_aws,
    policy_too_long,
    bad_program,
    uncallable_handler,
    missing_permission,
    unneeded_permission,
    unjudged_code,
    shared_function_name,
    shared_route,
    declared_twice,
    unverified_route,
    function_without_trigger,
    unstreamed_change,
    unbalanced_queue,
    clashing_variables,
    unlocked_unique,
    unguarded_write,
    silent_overwrite,
    silent_create,
    transaction_of_one,
    transaction_too_large,
    same_item_twice,
    stale_index_key,
    stale_copy,
    one_way_relation,
    expired_in_the_way,
    revived_record,
    torn_batch,
    orphaned_records,
    lost_update,
    hot_partition,
    hot_index,
    narrow_partition,
    unread_shards,
    item_too_large,
    growing_item,
    large_item_collection,
    too_many_indexes,
    too_many_projected,
    duplicate_index,
    wide_projection,
    churning_index_key,
    key_in_projection,
    unbounded_field,
    crowded_ranking,
    projected_counter,
    mergeable_indexes,
    kept_for_ever,
    changed_key,
    changed_index,
    changed_local_index,
    several_index_changes,
    removed_table,
    changed_template,
    changed_ttl,
    fewer_shards,
    removed_index,
    unreadable_records,
    bad_sample,
    unknown_sample,
    sample_key,
    sample_type,
    sample_attributes,
    sample_expiry,
    sample_index,
    sample_size,
    sample_duplicate,
)
