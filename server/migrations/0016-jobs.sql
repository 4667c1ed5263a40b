-- A job's payload names its store and its author, whoever queues it. What was queued before this version is rewritten,
-- and one-time passwords are a chapter of their own. Where there is no queue yet there is nothing to do.
DO $$ BEGIN
  IF to_regclass('graphile_worker._private_jobs') IS NULL THEN RETURN; END IF;
  UPDATE graphile_worker._private_jobs j SET payload = json_build_object(
    'store', j.payload->>'storeId',
    'by', coalesce(j.payload->>'by', concat_ws(' ', j.payload->>'actor', j.payload->>'requestId'), ''),
    'payload', j.payload)
  WHERE j.payload->>'storeId' IS NOT NULL;
  UPDATE graphile_worker._private_tasks SET identifier = 'passwords:' || split_part(identifier, ':', 2)
  WHERE identifier IN ('identity:give-one-time-password', 'identity:mail-one-time-password');
END $$;
