import type { Resource } from '../declare/resource.ts'
import { Problem } from '../errors.ts'
import { matches, versionsIn } from '../http/conditional.ts'
import { etagOf } from '../shape/answer.ts'
import type { Row } from '../shape/model.ts'

/** Refuses a caller whose `If-Match` names another version than this. */
export function mustMatch(etag: string, ifMatch: string | undefined, versions = ifMatch): void {
  if (versions === undefined || matches(versions, etag)) return
  const detail = `The provided ETag '${ifMatch}', does not match the current ETag '${etag}'.`
  throw new Problem('precondition_failed', detail)
}

/** As `mustMatch`, for a row. Of a tag with two parts only the version counts. */
export const mustMatchRow = ({ computed }: Resource, row: Row, ifMatch: string | undefined): void =>
  mustMatch(etagOf(row), ifMatch, computed && ifMatch !== undefined ? versionsIn(ifMatch) : ifMatch)
