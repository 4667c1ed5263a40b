import type { Row } from '../../kernel/shape/model.ts'

/** The row with another document: the part of its values that a response shows. */
export function partOfRow(row: Row, doc: Row['doc']): Row {
  const { id, version, createdAt, updatedAt, written, scope } = row
  const times = { createdAt, updatedAt }
  return { id, version, ...times, written, scope, doc, text: JSON.stringify(doc), hidden: {} }
}
