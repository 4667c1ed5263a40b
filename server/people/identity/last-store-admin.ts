/** The refusal to leave a store without a Store Admin who can sign in. A trigger raises its constraint. */
export const lastStoreAdmin = {
  role_assignments_last_store_admin: {
    code: 'conflict',
    detail:
      'This would leave the store without a Store Admin who can sign in. First give another colleague the role, who has a password or an identity at a provider.',
  },
} as const
