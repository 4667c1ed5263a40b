-- step: contract
-- Links have been in `invitations` since 1246.
DROP TABLE colleague_invitations;
