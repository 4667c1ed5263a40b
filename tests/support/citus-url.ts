/**
 * The PostgreSQL with Citus that SUTLER_TEST_CITUS_URL names, for the databases of a test run in place of an own one:
 * one node that holds shards. Each test file runs on a distributed schema, whose statements are planned as for others'
 * nodes. The user of the URL is a superuser, and the databases of earlier runs are dropped.
 */
export const citusUrl = process.env.SUTLER_TEST_CITUS_URL || undefined
