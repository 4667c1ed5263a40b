/**
 * Runs work for all of them, some at the same time. The results are in their order. After a failure nothing more is
 * begun, and what is begun ends.
 */
export async function inParallel<T, R>(
  some: readonly T[],
  most: number,
  work: (one: T, index: number) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = []
  let next = 0
  const take = async () => {
    for (let i = next++; i < some.length; i = next++) {
      try {
        results[i] = await work(some[i] as T, i)
      } catch (error) {
        next = some.length
        throw error
      }
    }
  }
  const workers = await Promise.allSettled(Array.from({ length: Math.min(most, some.length) }, take))
  const failed = workers.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  return results
}
