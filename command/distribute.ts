import { command, flag, text } from './frame/command.ts'
import { WrongCall } from './frame/wrong-call.ts'

const shardsMax = 1024

export const distributeCommand = command({
  name: 'distribute',
  group: 'Schema',
  about: 'Distributes the stores of a database on the nodes of Citus.',
  details:
    'The database is a coordinator of Citus 14. Each store is on one node, with all that it has. No server runs meanwhile,\n' +
    'unless only nodes are new: it makes what they lack.\n' +
    'Migrations distribute later tables by themselves. Without Citus it says so, and nothing changes (exit code 3).',
  options: {
    plan: flag(
      'Only say what would happen to each table, key, trigger and routine, and what stands in the way.',
    ),
    status: flag('Only say what is distributed, and where.'),
    shards: text('number', `The groups of stores, 32 by default: no more nodes than that can share them.`),
  },
  examples: [
    ['sutler distribute --plan', 'what it would do, with the database of today'],
    ['sutler distribute --shards 64', 'when no server runs'],
    ['sutler distribute --status', 'where the groups of stores are'],
  ],
  leaves: 'what is done stays, and what is left is stored. Run it again before a server starts.',
  async run({ options, signal, progress }) {
    const { plan, status, shards } = options
    if (plan && status) throw new WrongCall('--plan and --status exclude each other')
    const count = shards === undefined ? undefined : Number(shards)
    if (count !== undefined && !(Number.isInteger(count) && count >= 1 && count <= shardsMax))
      throw new WrongCall(`--shards is a whole number from 1 to ${shardsMax}, not ${shards}`)
    const { withDatabase } = await import('./frame/with-database.ts')
    const tool = await import('../tools/distribute.ts')
    return withDatabase(async (database) => {
      if (plan) return await tool.describeDistribution(database)
      if (status) return await tool.distributionStatus(database)
      return await tool.distributeAll(database, count, progress, signal)
    })
  },
})
