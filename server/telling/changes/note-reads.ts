import type { FeedChange } from '../../kernel/feed/changes.ts'
import type { Model, Row } from '../../kernel/shape/model.ts'
import type { Ctx } from '../../kernel/work/context.ts'

/** Records that the caller was shown objects, as lists of these objects do. `modelOf` knows the model of a table. */
export function noteReads(
  ctx: Ctx,
  changes: readonly FeedChange[],
  modelOf: (table: string) => Model | undefined,
): void {
  for (const { id, source, scope, doc } of changes) {
    const model = doc === undefined ? undefined : modelOf(source)
    if (!model?.personal) continue
    const row: Pick<Row, 'id' | 'scope'> & { readonly doc: unknown } = {
      id,
      scope: scope === undefined ? [] : [scope],
      get doc() {
        return JSON.parse(doc as string) as unknown
      },
    }
    ctx.onRead(model, row as Row)
  }
}
