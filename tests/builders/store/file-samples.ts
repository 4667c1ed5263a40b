import type { ModuleSamples } from '../../support/module-samples.ts'

const boundary = 'between-the-parts'

export const files: ModuleSamples = {
  makers: {
    file: async (client, _samples, collection) => {
      const head = 'Content-Disposition: form-data; name="file"; filename="sample.txt"'
      const body = `--${boundary}\r\n${head}\r\n\r\nA sample.\r\n--${boundary}--\r\n`
      const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` }
      const { status, body: answer } = await client.send('POST', collection, { body, headers })
      if (status === 201) return answer.data
      throw new Error(`POST ${collection}: ${status} ${JSON.stringify(answer)}`)
    },
  },
}
