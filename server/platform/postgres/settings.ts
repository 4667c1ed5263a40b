/** Passed at each start and not stored in the cluster, so that a later version can change them. */
export const settings = {
  listen_addresses: '', // the Unix socket is the only way in
  max_connections: 100,
  shared_buffers: '256MB',
  jit: 'off', // its compile time exceeds the run time of every statement here
  wal_compression: 'on',
  max_wal_size: '2GB',
  random_page_cost: 1.1, // disks without seek time
  fsync: 'on',
  synchronous_commit: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_min_messages: 'log', // a refused statement is the server's to report, and quotes data
  log_checkpoints: 'off',
  autovacuum_naptime: '15s', // counters' deltas come and go fast
  client_connection_check_interval: '5s', // what no one waits for any more is not carried out
} as const
