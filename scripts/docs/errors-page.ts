import { problems } from '../../server/kernel/errors.ts'

/** docs/errors.md: the table of server/kernel/errors.ts, for developers of clients. */
export function errorsPage(): string {
  const rows = Object.entries(problems).map(
    ([code, { status, title }]) => `| \`${code}\` | ${status} | ${title} |`,
  )
  return `# Errors

Generated from \`server/kernel/errors.ts\` by \`npm run docs\`.

Every error response is \`{"errors": [{"title", "status", "detail", "code", "source"}]}\`. \`status\` is the HTTP status
as a string. \`detail\` says what is wrong and what is accepted, \`source\` which part of the request is wrong. Branch on
\`code\`: codes are added, but never renamed or given another meaning. A server error also has a \`request_id\`, which is
in the log beside the error. \`meta\` says more about some errors, such as the item that they are about.

For some operations the public contract has its own status or title; they send it with the same \`code\`. An operation
that carries out a part of its request has \`errors\` beside \`data\`, with a successful status.

| code | status | title |
|---|---|---|
${rows.join('\n')}
`
}
