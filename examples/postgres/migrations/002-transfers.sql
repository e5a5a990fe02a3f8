create table transfers (
  id integer primary key generated always as identity,
  source integer not null references accounts,
  target integer not null references accounts,
  amount integer not null check (amount > 0),
  at timestamptz not null default now()
);

create index transfers_source on transfers (source);
create index transfers_target on transfers (target);
