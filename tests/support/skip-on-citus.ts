import { beforeEach } from 'vitest'
import { citusUrl } from './citus-url.ts'
import { notOnCitus } from './not-on-citus.ts'

if (citusUrl)
  beforeEach(({ task, skip }) => {
    const found = notOnCitus.find(({ file, test }) => task.file.name === file && test?.test(task.name))
    if (found) skip(found.reason)
  })
