"""Plays a whole game with openapi-generator's Python client; argv has the service's address."""

import sys

from openapi_client import ActRequest, ApiClient, Configuration, CreateGameRequest, NamedSeat, NewGame, PlayApi, PostApi, Seat

http = ApiClient(Configuration(sys.argv[1]))
table = PlayApi(http)
seats = [Seat(NamedSeat(name=name)) for name in ("Anna", "Bert")]
made = table.create_game(CreateGameRequest(NewGame(seats=seats)))
view, tokens = made.game, [f"Bearer {seat.token}" for seat in made.seats]
while view.status != "over":
    if view.turn is None or view.status == "scoring":
        view = table.show_game(view.id)
        continue
    http.default_headers["Authorization"] = tokens[view.turn.seat]
    action = table.show_legal_actions(view.id).actions[-1]
    view = table.act(view.id, ActRequest(action)).game
assert PostApi(http).show_deliveries(view.id).deliveries == []
print(view.id, view.version)
