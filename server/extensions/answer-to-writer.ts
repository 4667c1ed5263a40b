import type { Resource } from '../kernel/declare/resource.ts'
import type { Answer } from '../kernel/http/answer.ts'
import { objectAnswer } from '../kernel/http/object-answer.ts'
import type { Row } from '../kernel/shape/model.ts'
import type { Ctx } from '../kernel/work/context.ts'

/**
 * The answer to an update: the entry; to whoever may not read it, only what they sent of it, beside its type, id,
 * times, version and links. Nor is its size told, nor the name that is in its URL unless they sent that: both say
 * something about the values.
 */
export function answerToWriter(
  ctx: Ctx,
  entries: Resource,
  row: Row,
  sent: Readonly<Record<string, unknown>>,
  mayRead: boolean,
): Answer {
  return objectAnswer(200, entries, mayRead ? row : partOf(row, Object.keys(sent)), ctx)
}

function partOf(
  { id, version, createdAt, updatedAt, written, scope, doc }: Row,
  names: readonly string[],
): Row {
  const part = Object.fromEntries(Object.entries(doc).filter(([name]) => names.includes(name)))
  const times = { createdAt, updatedAt }
  return { id, version, ...times, written, scope, doc: part, text: JSON.stringify(part), hidden: {} }
}
