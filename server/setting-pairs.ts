import type { Config } from './config.ts'

/** What is set without what belongs to it. */
export function faultsOfPairs(config: Config): readonly string[] {
  const isHalf = (...values: readonly unknown[]) =>
    new Set(values.map((value) => value === undefined)).size > 1
  const [set, missing] = config.clientId === undefined ? ['SECRET', 'ID'] : ['ID', 'SECRET']
  return [
    ...(isHalf(config.clientId, config.clientSecret)
      ? [`SUTLER_CLIENT_${set} is set without SUTLER_CLIENT_${missing}: set both or neither`]
      : []),
    ...(isHalf(config.smtpUrl, config.mailFrom)
      ? ['SUTLER_SMTP_URL and SUTLER_MAIL_FROM go together: set both or neither']
      : []),
    ...(config.directDatabaseUrl !== undefined && config.databaseUrl === undefined
      ? ['SUTLER_DIRECT_DATABASE_URL is set without DATABASE_URL: set both or neither']
      : []),
    ...(config.replicaUrls !== undefined && config.databaseUrl === undefined
      ? ['SUTLER_REPLICAS is set without DATABASE_URL: the PostgreSQL that comes along has no replicas']
      : []),
    ...(isHalf(config.s3Bucket, config.s3AccessKeyId, config.s3SecretAccessKey)
      ? [
          'SUTLER_S3_BUCKET, SUTLER_S3_ACCESS_KEY_ID and SUTLER_S3_SECRET_ACCESS_KEY go together: set all or none',
        ]
      : []),
  ]
}
