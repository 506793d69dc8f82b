"""Plays a whole game with openapi-generator's Python client; argv has the service's address, and that of a webhook."""

import sys

import openapi_client as api

http = api.ApiClient(api.Configuration(sys.argv[1]))
table, post = api.PlayApi(http), api.PostApi(http)
seats = [api.Seat(api.NamedSeat(name=name)) for name in ("Anna", "Bert")]
made = table.create_game(api.CreateGameRequest(api.NewGame(seats=seats)))
view, tokens = made.game, [f"Bearer {seat.token}" for seat in made.seats]
for hook in sys.argv[2:]:
    http.default_headers["Authorization"] = tokens[0]
    post.subscribe(view.id, api.Notifications(webhook=api.Webhook(url=hook)))
while view.status != "over":
    if view.turn is None or view.status == "scoring":
        view = table.show_game(view.id)
        continue
    http.default_headers["Authorization"] = tokens[view.turn.seat]
    action = table.show_legal_actions(view.id).actions[-1]
    view = table.act(view.id, api.ActRequest(action)).game
assert api.VerifyApi(http).show_audit(view.id).ok
print(view.id, view.version)
