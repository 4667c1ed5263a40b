import { action } from '../../kernel/declare/action.ts'
import { objectAnswer } from '../../kernel/http/object-answer.ts'
import { pimJobs, startPimJob } from '../../store/index.ts'
import { buildChildren } from './build-children.ts'
import { mustBeBuildable } from './must-be-buildable.ts'

export const buildChildProducts = action({
  name: 'build-child-products',
  route: 'POST /pcm/products/:product_id/build',
  about:
    'Starts a job that builds the children of a product: one for each combination of options of its variations that the build rules allow. The response is the job.',
  area: 'products',
  status: 201,
  shows: { resource: pimJobs },
  async run(ctx, { params }) {
    const { parent } = await mustBeBuildable(ctx, params.product_id)
    return objectAnswer(201, pimJobs, await startPimJob(ctx, buildChildren, { productId: parent.id }), ctx)
  },
})
