import { action } from '../../kernel/declare/action.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { findByName, scopeOf } from '../../kernel/query/find.ts'
import { flag, group, text } from '../../kernel/shape/fields.ts'
import { pimJobs, startPimJob } from '../../store/index.ts'
import { copyHierarchy } from './copy-hierarchy.ts'
import { hierarchies } from './hierarchies.ts'

/** Starts a job that copies a hierarchy and all of its nodes. */
export const duplicateHierarchy = action({
  name: 'duplicate-hierarchy',
  route: 'POST /pcm/hierarchies/:id/duplicate_job',
  about: 'Starts a job that copies the hierarchy and all of its nodes. The response is the job.',
  area: 'hierarchies',
  status: 201,
  body: {
    type: 'hierarchy',
    fields: {
      attributes: group(
        {
          name: text({
            min: 1,
            max: 1000,
            about: 'The name of the copy. By default the name of the hierarchy.',
          }),
          description: text({
            nullable: true,
            about: 'The description of the copy. By default the description of the hierarchy.',
          }),
          include_products: flag({
            default: false,
            about: 'Whether the copies of the nodes have the same products.',
          }),
        },
        { default: {} },
      ),
    },
  },
  shows: { resource: pimJobs },

  async run(ctx, { params, body: { attributes } }) {
    const scope = await scopeOf(ctx, hierarchies, params)
    const { id } = await findByName(ctx, hierarchies, params.id, scope)
    const { name, description, include_products } = attributes
    const input = { hierarchyId: id, name, description, withProducts: include_products }
    return objectAnswer(201, pimJobs, await startPimJob(ctx, copyHierarchy, input, { copied_from: id }), ctx)
  },
})
