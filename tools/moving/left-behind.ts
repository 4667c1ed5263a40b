/** What an export of a store leaves out, and why. Each other table of the database with rows of stores is copied. */
export const leftBehind: Readonly<Record<string, string>> = {
  attempts: 'counts requests of the last minutes',
  idempotency_keys:
    'answers for a day, sealed for the server that gave them; no two servers may repeat one request',
  errands: 'requests to other servers, which the exported server finishes',
  one_time_passwords: 'valid for minutes; the exported server has mailed them',
  sign_in_codes: 'valid for minutes',
  sign_in_requests: 'valid for minutes, and sealed; they lead back to the exported server',
  client_ids: 'the import makes those of its keys',
  moved_jobs: 'says what the queue of the exported server has',
  touched_tags: 'empty between transactions',
}

/** What short jobs an export leaves out, and why. */
export const jobsLeftBehind: Readonly<Record<string, string>> = {
  'identity:mail-email-change': 'the exported server sends this mail',
  'passwords:mail-one-time-password': 'the exported server sends this mail',
  'passwords:give-one-time-password': 'the password would be one of the exported server',
  'kernel:resume-errand': 'the exported server finishes its requests to other servers',
}

/** Values that only mean something in the database that they are from, and what takes their place. */
export const replacements: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // The worker of the exported server.
  long_jobs: { locked_by: 'NULL', locked_at: 'NULL' },
  catalog_rule_states: { transaction: 'pg_current_xact_id()' },
  // Below, all fresh changes have yet to be found.
  feeds: { done: '0' },
}

/** The table of the keys of applications. A server that takes over a store also keeps the keys that it has. */
export const keyTable = 'application_keys'
