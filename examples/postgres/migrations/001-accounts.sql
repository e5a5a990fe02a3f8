create table accounts (
  id integer primary key generated always as identity,
  owner text not null,
  balance integer not null,
  constraint balance_bounds check (balance between 0 and 2000000000)
);
