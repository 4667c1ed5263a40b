import type { Resource } from '../kernel/declare/resource.ts'
import { objectAnswer } from '../kernel/http/object-answer.ts'
import type { Answer } from '../kernel/shape/answer.ts'
import type { Row } from '../kernel/shape/model.ts'
import type { Ctx } from '../kernel/work/context.ts'

/**
 * The response to an update: the entry. Callers who cannot read entries see only the fields that they sent, and the
 * type, id, times, version and links. They see neither the size nor the URL slug, unless they sent it, because both
 * reveal values.
 */
export function answerWriter(
  ctx: Ctx,
  entries: Resource,
  row: Row,
  sent: Readonly<Record<string, unknown>>,
  mayRead: boolean,
): Answer {
  return objectAnswer(200, entries, mayRead ? row : pickFields(row, Object.keys(sent)), ctx)
}

function pickFields(
  { id, version, createdAt, updatedAt, written, scope, doc }: Row,
  names: readonly string[],
): Row {
  const part = Object.fromEntries(Object.entries(doc).filter(([name]) => names.includes(name)))
  const times = { createdAt, updatedAt }
  return { id, version, ...times, written, scope, doc: part, text: JSON.stringify(part), hidden: {} }
}
