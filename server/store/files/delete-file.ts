import { action } from '../../kernel/declare/action.ts'
import { notFound, Problem } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import { remove } from '../../kernel/write/by-rules.ts'
import { files } from './files.ts'

/** Deletes a file. Its store is no secret: it is part of the public URL. */
export const deleteFile = action({
  name: 'delete-file',
  route: 'DELETE /v2/files/:id',
  about: 'Deletes a file and its content. Products that refer to it no longer show it.',
  area: 'files',
  status: 204,
  refuses: ['precondition_failed'],
  async run(ctx, call) {
    const id = call.params.id.toLowerCase()
    if (!isId(id)) throw notFound('file', call.params.id)
    const [elsewhere] = await ctx.instance.database.quick({
      text: 'SELECT 1 FROM stores s JOIN files f ON f.store_id = s.id AND f.id = $2 WHERE s.id <> $1 LIMIT 1',
      values: [ctx.store.id, id],
    })
    if (elsewhere) {
      throw new Problem('forbidden', 'You are trying to remove a file outside of the tenancy', {
        title: 'Permission denied',
      })
    }
    return remove(ctx, files, [], id, call)
  },
})
