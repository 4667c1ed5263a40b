import { problems } from '../../server/kernel/errors.ts'

/** docs/errors.md: the table of server/kernel/errors.ts, for those who write clients. */
export function errorsPage(): string {
  const rows = Object.entries(problems).map(
    ([code, { status, title }]) => `| \`${code}\` | ${status} | ${title} |`,
  )
  return `# Errors

Generated from \`server/kernel/errors.ts\` by \`npm run docs\`.

Every refusal is \`{"errors": [{"title", "status", "detail", "code", "source"}]}\`. \`status\` is the HTTP status as a
string, \`detail\` says what was wrong and what would have been accepted, \`source\` where in the request. Decide by
\`code\`: codes are added, never renamed or given another meaning. A server error carries a \`request_id\` too, which
its log names; \`meta\` says what else is known of the fault, such as which item it is of.

Some calls have a status or a title of their own in the public contract, and send that with the same \`code\`. A call
that does what it can of a request has \`errors\` beside \`data\`, with the status of a success and each error as above.

| code | status | title |
|---|---|---|
${rows.join('\n')}
`
}
