-- An intent was a call to another server here, and a payment at Stripe in the same files. A call is an errand now.
ALTER TABLE intents RENAME TO errands;
ALTER TABLE errands RENAME CONSTRAINT intents_pkey TO errands_pkey;
ALTER TABLE errands RENAME CONSTRAINT intents_store_id_fkey TO errands_store_id_fkey;
ALTER INDEX intents_by_ended_at RENAME TO errands_by_ended_at;
ALTER INDEX intents_open_key RENAME TO errands_open_key;
ALTER TABLE idempotency_keys RENAME intent_id TO errand_id;

-- Where there is no queue yet there is nothing more to do.
DO $$ BEGIN
  IF to_regclass('graphile_worker._private_jobs') IS NULL THEN RETURN; END IF;
  UPDATE graphile_worker._private_jobs SET key = replace(key, ' intent ', ' errand ')
  WHERE task_id = (SELECT id FROM graphile_worker._private_tasks WHERE identifier = 'kernel:resume-intent');
  UPDATE graphile_worker._private_tasks SET identifier = 'kernel:resume-errand'
  WHERE identifier = 'kernel:resume-intent';
END $$;
