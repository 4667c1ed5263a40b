import type { Resource } from '../declare/resource.ts'
import { type Answer, etagOf, twoPartTag } from '../shape/answer.ts'
import { linksBeside } from '../shape/envelope.ts'
import type { Row } from '../shape/model.ts'
import type { Ctx } from '../work/context.ts'
import { linksText, objectText } from './object-text.ts'

/** A single object in its envelope, with its entity tag. What it includes changes without the object. */
export function objectAnswer(status: number, resource: Resource, row: Row, ctx: Ctx, more = ''): Answer {
  const data = objectText(resource, row, ctx, false)
  const links = linksBeside(resource.envelope) ? `,"links":${linksText(resource, row, ctx)}` : ''
  const body = `{"data":${data}${links}${more}}`
  return { status, body, headers: { etag: resource.computed || more ? twoPartTag(row, body) : etagOf(row) } }
}

/** The response with further members in its `data`. */
export function withData(answer: Answer, members: Record<string, unknown>): Answer {
  const body = JSON.parse(answer.body as string) as { data: object }
  return { ...answer, body: JSON.stringify({ ...body, data: { ...body.data, ...members } }) }
}
