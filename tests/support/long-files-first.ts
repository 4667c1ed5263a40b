import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Journeys first, each beside another file: they are short to read and long to run, and mostly wait for processes. A
 * run that ended with one would leave a core idle. The others come from the largest to the smallest.
 */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isJourney = ({ moduleId }: TestSpecification) => moduleId.includes('/tests/journeys/')
    const others = sorted.filter((file) => !isJourney(file))
    const mixed = sorted.filter(isJourney).flatMap((file) => [file, ...others.splice(0, 1)])
    return [...mixed, ...others]
  }
}
