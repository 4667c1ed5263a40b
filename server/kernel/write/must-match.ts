import { Problem } from '../errors.ts'
import { matches, versionsIn } from '../http/conditional.ts'
import { etagOf } from '../shape/answer.ts'
import type { Row } from '../shape/model.ts'

/** Refuses the request if its `If-Match` names another version. */
export function mustMatch(etag: string, ifMatch: string | undefined, versions = ifMatch): void {
  if (versions === undefined || matches(versions, etag)) return
  const detail = `The provided ETag '${ifMatch}', does not match the current ETag '${etag}'.`
  throw new Problem('precondition_failed', detail)
}

/** As `mustMatch`, for a row. Only the version of a two-part tag counts. */
export const mustMatchRow = (row: Row, ifMatch: string | undefined): void =>
  mustMatch(etagOf(row), ifMatch, ifMatch === undefined ? undefined : versionsIn(ifMatch))
