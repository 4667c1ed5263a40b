/** The refusal to leave a store without a Store Admin. A trigger raises its constraint. */
export const lastStoreAdmin = {
  code: 'conflict',
  detail: 'This is the last Store Admin of the store. Give another colleague the role first.',
} as const
