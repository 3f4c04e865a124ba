---- Functions that dialect.ts calls ----

CREATE FUNCTION shared_time(given BIGINT) RETURNS BIGINT LANGUAGE sql STABLE AS
  $$ SELECT (extract(epoch FROM statement_timestamp()) * 1000)::bigint $$;

-- Advisory locks of class 1 are names of jobs.
CREATE FUNCTION is_settled(name TEXT) RETURNS BOOLEAN LANGUAGE sql VOLATILE STRICT AS
  $$ SELECT pg_try_advisory_xact_lock(1, hashtext(name)) $$;

---- Jobs ----

-- A transaction that finds a job waiting adds none. It keeps the job waiting until it ends, because the
-- job must see what the transaction has changed.
CREATE FUNCTION job_ordered() RETURNS TRIGGER LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock_shared(1, hashtext(new.kind || ' ' || new.key));
  RETURN new;
END $$;
CREATE TRIGGER job_ordered BEFORE INSERT ON job FOR EACH ROW
  WHEN (new.key IS NOT NULL AND new.state = 'waiting') EXECUTE FUNCTION job_ordered();
