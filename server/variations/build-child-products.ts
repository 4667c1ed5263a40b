import { pimJobs, startPimJob } from '../jobs/index.ts'
import { action } from '../kernel/declare/action.ts'
import { objectAnswer } from '../kernel/http/answer.ts'
import { buildChildren } from './build-children.ts'
import { mustBeBuildable } from './must-be-buildable.ts'

export const buildChildProducts = action({
  name: 'build-child-products',
  route: 'POST /pcm/products/:product_id/build',
  about:
    'Builds the children of a product: one for each combination of the options of its variations, as far as its build rules let there be one. The answer is the job that does so.',
  area: 'products',
  status: 201,
  shows: { resource: pimJobs },
  async run(ctx, { params }) {
    const { parent } = await mustBeBuildable(ctx, params.product_id)
    return objectAnswer(201, pimJobs, await startPimJob(ctx, buildChildren, { productId: parent.id }), ctx)
  },
})
